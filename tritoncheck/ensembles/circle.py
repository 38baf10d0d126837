"""Circles in a graph: which nodes reach themselves, and how. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

# In a circle of more nodes the shortest way is not looked for.
_LONGEST_WAY = 64


def circles(graph: Mapping[T, Sequence[T]]) -> list[list[T]]:
    """The groups of nodes that reach each other, and the nodes that reach themselves.

    Tarjan's strongly connected components, without recursion, so that a chain of any length is read in linear time.
    """
    return [group for group in _components(graph) if len(group) > 1 or group[0] in graph[group[0]]]


def _components(graph: Mapping[T, Sequence[T]]) -> list[list[T]]:
    """Groups of nodes that reach each other: Tarjan's algorithm, without recursion, linear."""
    order: dict[T, int] = {}
    low: dict[T, int] = {}
    stack: list[T] = []
    inside: set[T] = set()
    found: list[list[T]] = []
    for root in graph:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        inside.add(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, following = work[-1]
            for other in following:
                if other not in graph:
                    continue
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    inside.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in inside:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    group: list[T] = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        inside.discard(group[-1])
                    found.append(group)
    return found


def way_back(graph: Mapping[T, Sequence[T]], start: T, group: Sequence[T]) -> tuple[T, ...]:
    """The shortest way from a node back to it inside its group, both ends included; of a long one its beginning."""
    members = set(group)
    if len(group) > _LONGEST_WAY:
        return (start, next(one for one in graph[start] if one in members))
    came: dict[T, T] = {}
    waiting = [start]
    for node in waiting:
        for other in graph[node]:
            if other == start:
                way = [start, node]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return tuple(reversed(way)) if node != start else (start, start)
            if other in members and other not in came:
                came[other] = node
                waiting.append(other)
    return (start, start)
