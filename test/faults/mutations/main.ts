// npm run mutations [-- --only NAME]: breaks the source on purpose, in a copy, and says which test turned red.
import { parseArgs } from 'node:util'
import { ROOT } from '../../bench/process.ts'
import { Copy } from './copy.ts'
import type { Mutation } from './mutation.ts'
import { MUTATIONS } from './table.ts'

type Fate = 'killed' | 'SURVIVED' | 'NO TEST' | 'RED BEFORE' | 'STALE'

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } })
const chosen = MUTATIONS.filter(({ name }) => values.only?.some((word) => name.includes(word)) ?? true)
if (chosen.length === 0) throw new Error(`no mutation is named like that: ${values.only?.join(', ')}`)

const copy = new Copy(ROOT)
const fates: Fate[] = []
process.on('SIGINT', () => {
  copy.remove()
  process.exit(130)
})
try {
  const isGreen = await greenBefore(copy)
  for (const mutation of chosen) {
    const fate = await fateOf(copy, mutation, isGreen)
    fates.push(fate)
    const { name, promise, file, test } = mutation
    process.stdout.write(`${fate.padEnd(10)}  ${promise}: ${name}\n`)
    process.stdout.write(`${''.padEnd(12)}${file}\n${''.padEnd(12)}${test.file}: ${test.name}\n`)
  }
} finally {
  copy.remove()
}
const killed = fates.filter((fate) => fate === 'killed').length
process.stdout.write(`${killed} of ${fates.length} mutations were killed by the test named for them\n`)
process.exitCode = killed === fates.length ? 0 : 1

/** The tests that are green while nothing is broken; those of the built program first, so that it is built once. */
async function greenBefore(copy: Copy): Promise<ReadonlyMap<string, boolean>> {
  const green = new Map<string, boolean>()
  for (const mutation of [...chosen].sort((a, b) => Number(b.test.built) - Number(a.test.built))) {
    const key = keyOf(mutation)
    if (green.has(key)) continue
    process.stderr.write(`as it is: ${mutation.test.file}: ${mutation.test.name}\n`)
    const outcome = await copy.try(mutation, false).catch(isStale)
    if (outcome) green.set(key, outcome.failed === 0 && outcome.passed > 0)
  }
  return green
}

async function fateOf(copy: Copy, mutation: Mutation, isGreen: ReadonlyMap<string, boolean>): Promise<Fate> {
  if (isGreen.get(keyOf(mutation)) === false) return 'RED BEFORE'
  const outcome = await copy.try(mutation, true).catch(isStale)
  if (!outcome) return 'STALE'
  if (outcome.failed > 0) return 'killed'
  return outcome.passed > 0 ? 'SURVIVED' : 'NO TEST'
}

function keyOf({ test }: Mutation): string {
  return `${test.file}\0${test.name}`
}

function isStale(error: unknown): undefined {
  if (error instanceof Error && error.message.startsWith('stale: ')) return undefined
  throw error
}
