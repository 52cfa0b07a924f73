import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TransformResult } from '../../src/commands/results.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { byDay } from '../helpers/kills.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { allWalks, deliver, walkOutcome } from '../helpers/walks.ts'

// Every vendor's files, as the vendor delivers them, go the whole way: transform, import, verify. The rows are in
// fixtures/<vendor>/walks.json. A project takes five group types, so each row has a sandbox of its own, in this process.
// Import and verify know no vendor: by day every third row goes on to them, by night each.

const ALL = allWalks()
const SENT = new Set(byDay(ALL, 3))

const FAST = ['--approved', '--max-events-per-minute', '1000000']

test.each(ALL)('$vendor: $about', async (walk) => {
  const folder = testFolder()
  const [delivered, events] = [join(folder, 'delivered'), join(folder, 'events')]
  mkdirSync(delivered)
  await deliver(walk.vendor, delivered)
  const ran = async (argv: readonly string[], env = {}) => {
    const { code, stdout, stderr } = await runCommand(argv, { env, built: true })
    return { code, stdout, argv, stderr }
  }
  const inputs = walk.in.flatMap((name) => ['--in', join(delivered, name)])
  const args = walk.args.map((word) => word.replace('{walk}', delivered))
  const transform = await ran(['transform', ...inputs, ...args, '--out', events, '--json'])
  const rejected = Object.values(walk.rejected).reduce((sum, n) => sum + n, 0)
  expect(transform).toMatchObject({ code: rejected > 0 ? 3 : 0 })
  const { vendor, about, in: _, args: __, ...expected } = walk
  expect(walkOutcome(JSON.parse(transform.stdout) as TransformResult), `${vendor}: ${about}`).toEqual(
    expected,
  )

  if (!SENT.has(walk)) return
  const sandbox = await testSandbox()
  const env = sandboxEnv(sandbox)
  expect(await ran(['import', '--dataset', events, ...FAST], env)).toMatchObject({ code: 0 })
  expect(await ran(['verify', events], env)).toMatchObject({ code: 0 })
})
