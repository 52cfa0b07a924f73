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

test('an input holds its name, not its path, and whoever copies it gets both', async () => {
  const folder = testFolder()
  for (const name of ['a.ndjson', 'b.ndjson']) writeFileSync(join(folder, name), '{}\n')
  const inputs = await listInputs([folder])
  for (const [at, name] of ['a.ndjson', 'b.ndjson'].entries()) {
    const input = inputs[at]!
    const path = join(folder, name)
    expect(Object.getOwnPropertyDescriptor(input, 'path')).not.toHaveProperty('value')
    expect(input.path).toBe(path)
    for (const copy of [{ ...input }, structuredClone(input), JSON.parse(JSON.stringify(input))]) {
      expect(copy).toMatchObject({ path, name })
      expect(Object.keys(copy)[0]).toBe('path')
    }
    // A copy that is called otherwise is still the same file.
    expect({ ...input, name: 'other' }.path).toBe(path)
  }
})
