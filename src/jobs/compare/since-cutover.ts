import type { ChartAnswer, NoAnswer } from '../../charts/index.ts'
import type { ExplainedCell } from '../../compare/index.ts'

const SAME = { vendor: 0, dataset: null, posthog: 0, parts: [], unexplained: 0 } as const

/**
 * The numbers of the days on which apps fed both, side by side. No dataset has these events, so nothing tells why they
 * differ: each difference is drift.
 */
export function driftCells(
  vendor: ChartAnswer | NoAnswer | undefined,
  posthog: ChartAnswer | NoAnswer | undefined,
): ExplainedCell[] {
  if (!vendor || !posthog || 'unanswered' in vendor || 'unanswered' in posthog) return []
  const cells = new Map<string, ExplainedCell>()
  const add = (side: 'vendor' | 'posthog', answer: ChartAnswer) => {
    for (const { at, by, value } of answer.cells) {
      const key = JSON.stringify([at, by])
      cells.set(key, { ...(cells.get(key) ?? { at, by, ...SAME }), [side]: value })
    }
  }
  add('vendor', vendor)
  add('posthog', posthog)
  return [...cells.values()].map((cell) => {
    const amount = (cell.posthog ?? 0) - (cell.vendor ?? 0)
    return amount === 0 ? cell : { ...cell, parts: [['drift', amount]], unexplained: Math.abs(amount) }
  })
}
