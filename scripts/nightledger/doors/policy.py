"""What a page of ours may run and draw: what stands in it, named by its hash (CSP level 3, section 8.4)."""

import base64
import hashlib
import re

_PARTS = re.compile(rb"<(script|style)>(.*?)</\1>", re.DOTALL)


def policy_of(html: bytes, *more: str) -> str:
    """Return a content security policy that allows the script and the style of a page, and nothing else.

    Args:
        html: The page.
        more: Further directives.
    """
    hashes = {
        name.decode(): base64.b64encode(hashlib.sha256(text).digest()).decode()
        for name, text in _PARTS.findall(html)
    }
    sources = (f"{name}-src 'sha256-{told}'" for name, told in hashes.items())
    forms = () if any(one.startswith("form-action") for one in more) else ("form-action 'none'",)
    return "; ".join(("default-src 'none'", *sources, *more, "base-uri 'none'", *forms))
