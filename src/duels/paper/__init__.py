"""The paper's experiments, figures and claims."""
