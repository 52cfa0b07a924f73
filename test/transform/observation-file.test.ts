import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eachSeen, eachSeenLine, type Observation, seenLine } from '../../src/transform/observations.ts'
import { LineFile } from '../../src/transform/work-file.ts'
import { testFolder } from '../helpers/folder.ts'

test('observations that changed are an error to run again, wherever they changed, and no bug', () => {
  const folder = testFolder()
  const file = new LineFile(folder, 'unit.seen')
  const seen: Observation[] = ['a', 'b'].map((user, seq) => {
    return { kind: 'link', anonymous: `visitor ${seq}`, user, instant: seq, seq }
  })
  for (const one of seen) file.write(seenLine(one))
  file.close()
  const read = () => {
    const found: Observation[] = []
    eachSeenLine(folder, file.written, (bytes, start, end) => {
      eachSeen(Buffer.from(`${bytes.toString('utf8', start, end)}\n`), (one) => found.push(one))
    })
    return found
  }
  expect(read()).toEqual(seen)
  const path = join(folder, 'unit.seen')
  const whole = readFileSync(path)
  for (let at = 0; at < whole.length; at++) {
    const bent = Buffer.from(whole)
    bent[at]! ^= 1 << (at % 8)
    for (const bytes of [whole.subarray(0, at), bent]) {
      writeFileSync(path, bytes)
      expect(read, bytes.toString()).toThrow(expect.objectContaining({ code: 'unavailable' }))
    }
  }
})
