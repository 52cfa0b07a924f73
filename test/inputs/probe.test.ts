import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { testFolder } from '../helpers/folder.ts'

/** True if the engine holds one class for both objects, and not one for each. */
function haveOneClass(a: object, b: object): boolean {
  setFlagsFromString('--allow-natives-syntax')
  try {
    return new Function('a', 'b', 'return %HaveSameMap(a, b)')(a, b) as boolean
  } finally {
    setFlagsFromString('--no-allow-natives-syntax')
  }
}

test('inputs of one kind share what the engine knows of their members: 200,000 files take no 200,000 classes', async () => {
  const folder = testFolder()
  for (let n = 0; n < 100; n++)
    writeFileSync(join(folder, `${n}.ndjson`), '{"event":"Seen","properties":{}}\n')
  const inputs = await listInputs([folder])
  expect(inputs).toHaveLength(100)
  // The first few share theirs in any case.
  for (const [at, input] of inputs.slice(50).entries())
    expect(haveOneClass(input, inputs[49 + at]!)).toBe(true)
})
