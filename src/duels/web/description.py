"""The description of the API as a page, made from its OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.responses import Response

from duels.web.rendering import page
from duels.web.schemas import Problem

router = APIRouter(include_in_schema=False)

Schema = dict[str, Any]


@router.get("/api/v1/docs")
def docs(request: Request) -> Response:
    """Every address of the API: what it takes, what it answers, and a line to try it with."""
    described = request.app.openapi()
    base = str(request.base_url).rstrip("/")
    schemas = {**described["components"]["schemas"], "Problem": Problem.model_json_schema()}
    operations = [
        operation_of(method.upper(), path, found, base, described)
        for path, methods in described["paths"].items()
        for method, found in methods.items()
    ]
    things = [
        {"name": name, "about": each.get("description", ""), "fields": fields(each)}
        for name, each in sorted(schemas.items())
        if "properties" in each
    ]
    return page(
        "description.html",
        operations=operations,
        things=things,
        version=described["info"]["version"],
        summary=described["info"]["summary"],
        linked=lambda kind: linked(kind, schemas),
    )


def linked(kind: str, known: Container[str]) -> Markup:
    """The words of a kind, in which the name of an object leads to its description."""
    return Markup(" ").join(
        Markup('<a href="#{0}">{0}</a>').format(word) if word in known else escape(word)
        for word in kind.split(" ")
    )


def operation_of(method: str, path: str, found: Schema, base: str, described: Schema) -> Schema:
    """What the page says of one address."""
    body = _content(found.get("requestBody", {}))
    example = None if body is None else example_of(body, described)
    answers: list[Schema] = []
    errors: list[Schema] = []
    for status, each in sorted(found["responses"].items()):
        told = {"status": status, "about": each["description"], "type": words(_content(each))}
        (answers if status.startswith("2") else errors).append(told)
    paragraphs = str(found.get("description", found["summary"])).strip().split("\n\n")
    return {
        "id": found["operationId"],
        "method": method,
        "path": path,
        "title": paragraphs[0],
        "about": paragraphs[1:],
        "parameters": [
            {
                "name": each["name"],
                "place": {"path": "in the address", "query": "after ?"}[each["in"]],
                "type": words(each["schema"]),
                "about": each.get("description", ""),
            }
            for each in found.get("parameters", [])
        ],
        "body": None if body is None else words(body),
        "example": example,
        "answers": answers,
        "errors": errors,
        "curl": curl(method, base + path, example),
    }


def curl(method: str, address: str, body: str | None) -> str:
    """A line for a shell.

    >>> curl("GET", "http://here/health", None)
    "curl 'http://here/health'"
    """
    line = "curl" if method == "GET" else f"curl -X {method}"
    line += f" '{address}'"
    if body is not None:
        quoted = body.replace("'", "'\\''")
        line += f" -H 'Content-Type: application/json' -d '{quoted}'"
    return line


def words(schema: Schema | None) -> str:
    """The kind of a value, in words.

    >>> words({"type": "array", "items": {"$ref": "#/components/schemas/Arm"}})
    'list of Arm'
    >>> words({"anyOf": [{"type": "integer"}, {"type": "null"}]})
    'whole number or null'
    """
    if not schema:
        return ""
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(words(each) for each in schema[several])
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(json.dumps(each) for each in schema["enum"])
    kinds = {"integer": "whole number", "string": "text", "boolean": "true or false"}
    if schema.get("type") == "array":
        return f"list of {words(schema.get('items'))}"
    if schema.get("title") == "Problem":
        return "Problem"
    kind = str(schema.get("type", "anything"))
    return kinds.get(kind, kind)


def fields(schema: Schema) -> list[dict[str, Any]]:
    """The parts of an object."""
    needed = schema.get("required", [])
    return [
        {
            "name": name,
            "type": words(each),
            "about": each.get("description", ""),
            "needed": name in needed,
        }
        for name, each in schema["properties"].items()
    ]


def example_of(schema: Schema, described: Schema) -> str:
    """A body that the address takes, as JSON: only what it needs."""
    return json.dumps(_example(schema, described))


def _example(schema: Schema, described: Schema) -> Any:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return _example(described["components"]["schemas"][name], described)
    if schema.get("examples"):
        return schema["examples"][0]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return _example(schema[several][0], described)
    if "properties" in schema:
        return {
            name: _example(schema["properties"][name], described)
            for name in schema.get("required", [])
        }
    if "enum" in schema:
        return schema["enum"][0]
    return {"integer": 1, "string": "text"}.get(schema.get("type", ""))


def _content(holder: Schema) -> Schema | None:
    for each in holder.get("content", {}).values():
        return dict(each.get("schema", {}))
    return None
