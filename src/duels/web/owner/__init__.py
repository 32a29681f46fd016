"""The owner's page, behind a key: catalogues, rounds, what people said, and what they like.

- `access`: the key, the login, and the tokens of forms.
- `overview`: all catalogues, and one with what its sessions say.
- `changes`: rounds, settings, priors, retiring.
- `uploads`: a table from the file to the catalogue, with a look at it between.
- `given`: files as they are uploaded, read and checked.
- `settings`: how sessions are held, as a form.
- `charts`: numbers as places on a page.
"""
