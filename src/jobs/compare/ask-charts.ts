import type { Chart, ChartAnswer, ChartCall, ChartSide, ChartSpan, NoAnswer } from '../../charts/index.ts'
import type { AnswerKey, KeptAnswer, KeptAnswers } from './kept-answers.ts'

/** What a side has answered, by the names of the charts. */
export type ChartAnswers = ReadonlyMap<string, ChartAnswer | NoAnswer>

/** A side that is asked, and how its answers are kept. */
export interface AskedSide {
  readonly side: ChartSide
  readonly key: AnswerKey
  readonly call: ChartCall
}

export interface ChartAsking {
  readonly kept: KeptAnswers
  /** Is told of each answer: whether it was there already. */
  answered(side: AskedSide, kept: KeptAnswer, isNew: boolean): void
}

/** Asks a side all charts, one after the other, but for those whose answers are there. Each is kept before the next is asked. */
export async function askCharts(
  asked: AskedSide,
  charts: readonly Chart[],
  span: ChartSpan,
  { kept, answered }: ChartAsking,
): Promise<ChartAnswers> {
  const { side, key, call } = asked
  const answers = new Map<string, ChartAnswer | NoAnswer>()
  const open = charts.filter((chart) => {
    const there = kept.find(key, chart, span)
    if (!there) return true
    answers.set(chart.name, there.answer)
    answered(asked, there, false)
    return false
  })
  side.announce?.(open)
  for (const chart of open) {
    call.signal.throwIfAborted()
    const answer = await side.ask(chart, span, call)
    const now: KeptAnswer = { answer, askedAt: new Date().toISOString() }
    await kept.keep(key, chart, span, now)
    answers.set(chart.name, answer)
    answered(asked, now, true)
  }
  return answers
}
