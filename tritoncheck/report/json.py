"""The JSON report: version 1, a stable interface (keys may be added, never changed or taken away)."""

from __future__ import annotations

import json
from typing import Any

from tritoncheck import __version__
from tritoncheck.deployments import Deployment, shown_flags
from tritoncheck.outcome import Report
from tritoncheck.report.paths import shown_path
from tritoncheck.rule import Finding, Severity, Span, release_tag


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
        "deployments": [_deployment(one) for one in report.deployments],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _deployment(deployment: Deployment) -> dict[str, Any]:
    launch = deployment.launch
    return {
        "path": shown_path(launch.source),
        "service": launch.service,
        "image": launch.image,
        "release": release_tag(launch.release) if launch.release else None,
        "flags": shown_flags(launch),
        "flags_known": launch.flags_known,
        "repositories": [shown_path(path) for path in deployment.repositories],
        "open": [{"key": one.key, "why": one.why, **_span(one.span)} for one in launch.doubts],
    }


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
