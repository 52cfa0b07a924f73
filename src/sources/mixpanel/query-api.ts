import pLimit from 'p-limit'
import { z } from 'zod'
import type { ChartAnswer, ChartCall, ChartCell, VendorNames } from '../../charts/index.ts'
import type { RetryOptions } from '../../http/index.ts'
import { MS_PER_MINUTE, span } from '../../text/index.ts'
import { type Asking, askReport } from '../answer-bytes.ts'
import { Unanswerable } from '../unanswerable.ts'
import type { VendorClient, VendorError } from '../vendor-client.ts'

/** Requests that the query API answers at once (docs.mixpanel.com/reference/rate-limits). */
const AT_ONCE = 5
/** The longest path with its query: names are sent in it, and servers refuse longer ones. */
const MOST_PATH = 6000

/** Where numbers of several names are asked for at once. */
export const EVENTS_PATH = '/api/query/events'

/** The parameters of a question, besides the project. */
export type QueryParameters = Readonly<Record<string, string>>

/**
 * How much of the data an answer looked at. No document names these members; answers have had them for years. An answer
 * without them is taken for a whole one.
 */
export const samplingShape = {
  min_sampling_factor: z.number().optional(),
  meta: z.looseObject({ min_sampling_factor: z.number().optional() }).optional(),
}

/** True for an answer that was made of a sample. */
export function isSampled({
  min_sampling_factor: own = 1,
  meta,
}: z.output<z.ZodObject<typeof samplingShape>>) {
  return Math.min(own, meta?.min_sampling_factor ?? 1) < 1
}

/** The names that Mixpanel knows things by. */
export function namesIn({ names }: ChartCall): VendorNames {
  if (names === undefined) throw new RangeError('Mixpanel is asked by its own names')
  return names
}

/** An answer in days of the project's zone, which no document says how to ask for. */
export function answerInDays(cells: ChartCell[], estimated: boolean, notes: readonly string[]): ChartAnswer {
  return { cells: cells.filter(({ value }) => value !== 0), zone: null, estimated, notes: [...notes] }
}

/** The path of a question, with the project if it is known: a project's own secret implies it. */
export function mixpanelPath(path: string, projectId: string | undefined, query: QueryParameters): string {
  return `${path}?${new URLSearchParams({ ...(projectId !== undefined && { project_id: projectId }), ...query })}`
}

/** Names in groups whose paths are not too long. A name that makes a path too long is a group of its own. */
export function namesByPath(
  names: readonly string[],
  pathOf: (group: readonly string[]) => string,
): string[][] {
  const groups: string[][] = []
  for (const name of names) {
    const group = groups.at(-1)
    if (group && pathOf([...group, name]).length <= MOST_PATH) group.push(name)
    else groups.push([name])
  }
  return groups
}

/** What whoever asks Mixpanel a question may use. */
export type MixpanelCall = Pick<ChartCall, 'signal' | 'note'>

/** Mixpanel's query API: 60 questions an hour, which exports of profiles and reports count against, too. */
export class QueryApi {
  readonly client: VendorClient
  readonly projectId: string | undefined
  readonly #retry: Omit<RetryOptions, 'signal'>
  readonly #atOnce = pLimit(AT_ONCE)

  constructor(client: VendorClient, projectId: string | undefined, retry: Omit<RetryOptions, 'signal'>) {
    this.client = client
    this.projectId = projectId
    this.#retry = retry
  }

  /** Asks by GET. Throws Unanswerable where Mixpanel refuses the question with 400. */
  get<T>(path: string, query: QueryParameters, schema: z.ZodType<T>, call: ChartCall): Promise<T> {
    return this.ask(mixpanelPath(path, this.projectId, query), schema, call, { expected: refusedQuestion })
  }

  /** Asks until the answer is whole. */
  async ask<T>(
    path: string,
    schema: z.ZodType<T>,
    call: MixpanelCall,
    asking: Pick<Asking, 'method' | 'expected'>,
  ): Promise<T> {
    const { signal } = call
    return await this.inTurn(call, async (retry) => {
      return await askReport(this.client, path, schema, { ...asking, signal, retry })
    })
  }

  /** Does what asks Mixpanel once, when fewer than five others do, and says so if the quota makes it wait. */
  async inTurn<T>({ signal, note }: MixpanelCall, work: (retry: RetryOptions) => Promise<T>): Promise<T> {
    const end = await this.#turn()
    try {
      const waitMs = this.client.limiter.leastMs(1)
      if (waitMs > MS_PER_MINUTE)
        note(`waiting ${span(waitMs)} for Mixpanel, which answers 60 questions an hour`)
      return await work({ ...this.#retry, signal })
    } finally {
      end()
    }
  }

  /** Waits for one of the places, and returns what gives it back. Work is awaited outside, so that an error's stack names who asks. */
  #turn(): Promise<() => void> {
    return new Promise((begin) => {
      void this.#atOnce(() => new Promise<void>((end) => begin(end)))
    })
  }

  /** The wall clock, in milliseconds since the epoch. */
  now(): number {
    return this.#retry.clock.wall()
  }

  close(): Promise<void> {
    return this.client.close()
  }
}

function refusedQuestion(status: number, words: string): VendorError | undefined {
  // A wrong project or region refuses every question, not this one.
  if (status !== 400 || /\bproject\b/i.test(words)) return undefined
  return new Unanswerable(`Mixpanel refused the question: ${words}`)
}
