"""What answers which address of the owner's."""

from __future__ import annotations

from fastapi import APIRouter

from duels.web.owner import access, changes, overview, uploads

router = APIRouter(include_in_schema=False)
for part in (access, overview, changes, uploads):
    router.include_router(part.router)
