"""Write the TypeScript types of the HTTP API from its OpenAPI document: ``python tools/typescript_types.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thresher.campaign.storage.memory import MemoryStorage
from thresher.service import create_app
from thresher.service.openapi import openapi_document

TARGET = Path(__file__).parent.parent / "clients" / "js" / "schema.d.ts"
HEAD = "// Generated from the OpenAPI document by tools/typescript_types.py; do not edit.\n"
PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def type_of(schema: dict[str, Any]) -> str:
    """Return the TypeScript type of a JSON schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(type_of(choice) for choice in choices))
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "array":
        if items := schema.get("prefixItems"):
            return f"[{', '.join(map(type_of, items))}]"
        return f"Array<{type_of(schema.get('items', {}))}>"
    if kind == "object" or "properties" in schema:
        return _object(schema)
    return PLAIN.get(str(kind), "unknown")


def _object(schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        more = schema.get("additionalProperties", {})
        return f"Record<string, {type_of(more if isinstance(more, dict) else {})}>"
    required = schema.get("required", [])
    lines = [_member(name, of, is_required=name in required) for name, of in schema["properties"].items()]
    return "{\n" + "".join(lines) + "}"


def _member(name: str, schema: dict[str, Any], *, is_required: bool) -> str:
    about = " ".join(str(schema.get("description", "")).split()).replace("*/", "*\\/")
    comment = f"  /** {about} */\n" if about else ""
    return f"{comment}  {json.dumps(name)}{'' if is_required else '?'}: {type_of(schema)};\n"


def types_of(document: dict[str, Any]) -> str:
    """Return the types of all schemas of a document, by name."""
    schemas = document["components"]["schemas"]
    return HEAD + "".join(f"\nexport type {name} = {type_of(schemas[name])};\n" for name in sorted(schemas))


def generated() -> str:
    """Return what the file should hold."""
    return types_of(openapi_document(create_app(MemoryStorage())))


if __name__ == "__main__":
    TARGET.write_text(generated())
