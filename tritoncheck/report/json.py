"""The JSON report: version 1, a stable interface (keys may be added, never changed or taken away)."""

from __future__ import annotations

import json
from typing import Any

from tritoncheck import __version__
from tritoncheck.outcome import Report
from tritoncheck.report.paths import shown_path
from tritoncheck.rule import Finding, Severity, Span


def render(report: Report) -> str:
    """The report as JSON text. Lines and columns from 1, columns in characters, ends exclusive."""
    document = {
        "version": 1,
        "tool": {"name": "tritoncheck", "version": __version__},
        "findings": [_finding(one) for one in report.findings],
        "summary": {
            "repositories": report.repositories,
            "models": report.models,
            "files": report.files,
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "infos": report.count(Severity.INFO),
            "suppressed": report.suppressed,
        },
        "unchecked": [{"what": one.what, "why": one.why, "enable": one.enable} for one in report.unchecked],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    fix = finding.fix
    return {
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity.name.lower(),
        "confidence": finding.confidence.name.lower(),
        "refused": finding.refused,
        "message": finding.message,
        "help": finding.help,
        "model": finding.model,
        **_span(finding.span),
        "related": [{"message": one.message, **_span(one.span)} for one in finding.related],
        "fix": None
        if fix is None
        else {
            "safe": fix.safe,
            "title": fix.title,
            "edits": [
                {"path": shown_path(edit.path), "start": edit.start, "end": edit.end, "text": edit.text}
                for edit in fix.edits
            ],
        },
    }


def _span(span: Span) -> dict[str, Any]:
    return {
        "path": shown_path(span.path),
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
