import type { Batch } from '../../src/delivery/batch.ts'
import { Pacer } from '../../src/delivery/pacer.ts'
import { Sender } from '../../src/delivery/sender.ts'
import { Backoff } from '../../src/http/retry.ts'
import { ENVELOPE, FakePost } from '../helpers/fake-post.ts'
import { FakeV1 } from '../helpers/fake-v1.ts'
import { seeded } from '../helpers/random.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

export type SenderSetup = Partial<ConstructorParameters<typeof Sender>[0]> & {
  readonly clock?: SleepyClock
  readonly retryForMs?: number
  readonly random?: () => number
}

/** A sender that never waits for its pace. `taken`: the tokens that its requests took; `told`: why it tried again. */
export function senderWith({ clock = new SleepyClock(), retryForMs = 3_600_000, ...setup }: SenderSetup) {
  const { random = seeded(1), ...more } = setup
  const [taken, told]: [number[], string[]] = [[], []]
  const pacer = new Pacer({ perMinute: 1e9, lanes: 1 }, clock.now)
  const take = pacer.take.bind(pacer)
  pacer.take = (count) => {
    const wait = take(count)
    if (wait === 0) taken.push(count)
    return wait
  }
  const made = new Sender({
    post: new FakePost(),
    v1: new FakeV1(),
    via: 'batch',
    look: async () => undefined,
    pacer,
    backoff: new Backoff({ retryForMs, clock, random }),
    clock,
    over: new AbortController().signal,
    mayHavePlaces: true,
    envelope: ENVELOPE,
    acceptRefusals: false,
    retrying: (reason) => told.push(reason),
    ...more,
  })
  const halt = new AbortController()
  return { clock, taken, told, halt, made, send: (one: Batch) => made.send(one, halt.signal) }
}
