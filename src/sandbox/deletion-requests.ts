import { randomUUID } from 'node:crypto'
import { runQuery } from './query/run.ts'
import { QueryError, translate } from './query/translate.ts'
import { DELETED_TABLE, LOG_TABLE, QUEUED_TABLE } from './store/schema.ts'
import type { EventStore } from './store/store.ts'

/** What moves requests on: a person approves, a job queues the uuids, another deletes at the weekend; or it fails. */
export const DELETION_STEPS = ['approve', 'queue', 'delete', 'fail'] as const
type DeletionStep = (typeof DELETION_STEPS)[number]

type Status = 'pending' | 'approved' | 'queued' | 'completed' | 'failed'

const MOVES: Readonly<Record<DeletionStep, { readonly from: readonly Status[]; readonly to: Status }>> = {
  approve: { from: ['pending'], to: 'approved' },
  queue: { from: ['approved'], to: 'queued' },
  delete: { from: ['queued'], to: 'completed' },
  fail: { from: ['pending', 'approved', 'queued'], to: 'failed' },
}

const MOST_ACTIVE = 5

export interface DeletionRequest {
  readonly id: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly submissionId: string
  status: Status
  readonly createdAt: number
  updatedAt: number
  approvedAt: number | null
}

/** The requests for deletion of the project. A restart forgets them, and keeps what they deleted. */
export class DeletionRequests {
  readonly #store: EventStore
  readonly #now: () => number
  readonly #requests: DeletionRequest[] = []

  constructor(store: EventStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** The newest first. */
  get list(): readonly DeletionRequest[] {
    return this.#requests.toReversed()
  }

  /** The request with this submission id. */
  submitted(submissionId: string): DeletionRequest | undefined {
    return this.#requests.find((request) => request.submissionId === submissionId)
  }

  get isFull(): boolean {
    return this.#requests.filter(({ status }) => MOVES.fail.from.includes(status)).length >= MOST_ACTIVE
  }

  create(order: Pick<DeletionRequest, 'query' | 'variables' | 'submissionId'>): DeletionRequest {
    const now = this.#now()
    const made: DeletionRequest = {
      ...order,
      id: randomUUID(),
      status: 'pending',
      createdAt: now,
      updatedAt: now,
      approvedAt: null,
    }
    this.#requests.push(made)
    return made
  }

  /** How many uuids a query selects. QueryError if it is wrong, or returns anything but one column of uuids. */
  async count(query: string): Promise<number> {
    const options = { capped: false, merged: true }
    const { types } = await runQuery(this.#store, `SELECT * FROM (${query}\n) LIMIT 0`, options)
    if (types.length !== 1 || types[0]![1] !== 'UUID')
      throw new QueryError('The query must return exactly one UUID column.')
    const { results } = await runQuery(this.#store, `SELECT count() FROM (${query}\n)`, options)
    return Number(results[0]![0])
  }

  async move(step: DeletionStep): Promise<void> {
    const { from, to } = MOVES[step]
    for (const request of this.#requests.filter(({ status }) => from.includes(status))) {
      if (step === 'queue') await this.#queue(request)
      // Deletes all events with these uuids, those that came after they were queued among them.
      if (step === 'delete')
        await this.#run(
          `INSERT INTO ${DELETED_TABLE} SELECT seq FROM ${LOG_TABLE}
           WHERE uuid IN (SELECT uuid FROM ${QUEUED_TABLE} WHERE request = '${request.id}')`,
        )
      request.status = to
      request.updatedAt = this.#now()
      if (step === 'approve') request.approvedAt = this.#now()
    }
  }

  /** From here on the set of uuids stays as it is. */
  #queue({ id, query }: DeletionRequest): Promise<void> {
    const { sql, ...reads } = translate(query, { capped: false })
    return this.#run(`INSERT INTO ${QUEUED_TABLE} SELECT '${id}', * FROM (${sql})`, {
      ...reads,
      merged: true,
    })
  }

  #run(sql: string, reads: Parameters<EventStore['read']>[1] = {}): Promise<void> {
    return this.#store.read(async (connection) => void (await connection.run(sql)), reads)
  }
}
