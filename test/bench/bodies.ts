import { closeSync, openSync, readSync } from 'node:fs'

/** The request bodies that a sink kept, one by one. */
export function* bodiesOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r')
  const length = Buffer.alloc(4)
  try {
    while (readSync(file, length, 0, 4, null) === 4) {
      const body = Buffer.alloc(length.readUInt32LE())
      readSync(file, body, 0, body.length, null)
      yield body
    }
  } finally {
    closeSync(file)
  }
}

interface Sent {
  readonly uuid: string
  readonly event: string
  readonly timestamp: string
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * The (uuid, event, timestamp) of every event in them; times as instants, whatever digits they were sent with. Links, which
 * posthaul makes beside the events of a history, are left out.
 */
export function sentEvents(path: string): Set<string> {
  const found = new Set<string>()
  for (const body of bodiesOf(path)) {
    const { batch } = JSON.parse(body.toString()) as { batch: Sent[] }
    for (const { uuid, event, timestamp, properties } of batch) {
      const isLink = event === '$identify' && properties.$anon_distinct_id !== undefined
      if (!isLink) found.add(`${uuid} ${event} ${Date.parse(timestamp)}`)
    }
  }
  return found
}
