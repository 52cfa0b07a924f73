import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  type Chart,
  type ChartAnswer,
  type ChartSpan,
  chartAnswerSchema,
  type NoAnswer,
} from '../../charts/index.ts'
import type { QuotaMemory } from '../../sources/index.ts'
import type { Cell } from '../../state/cell.ts'
import { CellKind, GZIPPED } from '../../state/cell-kind.ts'
import { VERSION } from '../../version.ts'

/**
 * `<input>.answers.json.gz`, beside the state of the import: what vendors and PostHog have answered, and when they were
 * last asked.
 *
 * What it proves. An answer is saved before the next chart is asked. So a run that is killed goes on with the charts
 * that have none, and the requests that it made count towards the quotas of the next run. It is found by the side, its project, the
 * question and the days, and by the names or the import that it was asked of: after either has changed it is asked anew.
 * Nothing depends on it but time: one that can't be read is as good as none.
 */
const schema = z.object({
  tool: z.string(),
  answers: z.array(
    z.object({
      key: z.string(),
      /** When it came. */
      asked_at: z.iso.datetime(),
      answer: z.union([chartAnswerSchema, z.object({ unanswered: z.string() })]),
    }),
  ),
  /** When requests were sent lately, by quota, in ms since the epoch. */
  quotas: z.record(z.string(), z.array(z.number())),
})

export const ANSWERS = new CellKind({ name: 'answers to charts', schema, version: 1, form: GZIPPED })

/** What an answer is found by. */
export interface AnswerKey {
  /** The vendor's name, or PostHog's. */
  readonly side: string
  readonly project: string
  /** What else decides about it: the names that the vendor is asked by, or how far the import is. */
  readonly as: string
}

/** An answer that is there, and when it came. */
export interface KeptAnswer {
  readonly answer: ChartAnswer | NoAnswer
  readonly askedAt: string
}

/** The answers that are kept, and the quotas of those who gave them. */
export class KeptAnswers implements QuotaMemory {
  readonly #cell: Cell
  readonly #answers: Map<string, KeptAnswer>
  readonly #quotas: Map<string, readonly number[]>
  #saving: Promise<unknown> = Promise.resolve()

  private constructor(cell: Cell, kept: z.infer<typeof schema> | undefined) {
    this.#cell = cell
    this.#answers = new Map(
      kept?.answers.map(({ key, answer, asked_at: askedAt }) => [key, { answer, askedAt }]),
    )
    this.#quotas = new Map(Object.entries(kept?.quotas ?? {}))
  }

  /** `refetch`: forgets the answers, now and for the run that goes on after this one was killed. */
  static async open(cell: Cell, refetch: boolean): Promise<KeptAnswers> {
    const kept = (await ANSWERS.load(cell))?.value
    if (!kept || !refetch) return new KeptAnswers(cell, kept)
    const answers = new KeptAnswers(cell, { ...kept, answers: [] })
    await answers.#save()
    return answers
  }

  find(key: AnswerKey, { query }: Chart, span: ChartSpan): KeptAnswer | undefined {
    return this.#answers.get(keyText(key, query, span))
  }

  /** Resolves after it is written. */
  async keep(key: AnswerKey, { query }: Chart, span: ChartSpan, kept: KeptAnswer): Promise<void> {
    this.#answers.set(keyText(key, query, span), kept)
    await this.#save()
  }

  asked(quota: string): readonly number[] {
    return this.#quotas.get(quota) ?? []
  }

  async remember(quota: string, asked: readonly number[], now: boolean): Promise<void> {
    this.#quotas.set(quota, [...asked])
    if (now) await this.#save()
  }

  /** One write at a time: two sides are asked at once. */
  #save(): Promise<unknown> {
    this.#saving = this.#saving.then(() =>
      ANSWERS.save(this.#cell, {
        tool: `posthaul ${VERSION}`,
        answers: [...this.#answers].map(([key, { answer, askedAt }]) => ({
          key,
          asked_at: askedAt,
          answer: copied(answer),
        })),
        quotas: Object.fromEntries([...this.#quotas].map(([quota, asked]) => [quota, [...asked]])),
      }),
    )
    return this.#saving
  }
}

function copied(answer: ChartAnswer | NoAnswer): z.infer<typeof schema>['answers'][number]['answer'] {
  return 'unanswered' in answer ? { unanswered: answer.unanswered } : answer
}

function keyText({ side, project, as }: AnswerKey, query: Chart['query'], span: ChartSpan): string {
  const text = JSON.stringify([side, project, as, query, span.first, span.last])
  return createHash('sha256').update(text).digest('hex')
}
