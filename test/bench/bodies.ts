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
