import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { ASKED, LEFT_OUT } from '../../src/mapping/fates.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { allWalks, deliver, type Walk } from '../helpers/walks.ts'

// Every vendor's files, as the vendor delivers them, go the whole way: transform, check, import, verify. The rows are in
// fixtures/<vendor>/walks.json. A project takes five group types, so each row has a sandbox of its own, in this process.

interface TransformJson {
  readonly counts: Readonly<Record<string, number>>
  readonly rejects: Readonly<Record<string, number>>
  readonly filtered: Readonly<Record<string, number>>
  readonly members: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const FAST = ['--approved', '--max-events-per-minute', '1000000']
const table: string[][] = []

test.each(allWalks())('$vendor: $about', async (walk) => {
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
  expect(rowOf(JSON.parse(transform.stdout) as TransformJson)).toEqual(expectedOf(walk))

  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const env = sandboxEnv(sandbox)
  expect(await ran(['check', events], env)).toMatchObject({ code: 0 })
  expect(await ran(['import', '--dataset', events, ...FAST], env)).toMatchObject({ code: 0 })
  expect(await ran(['verify', events], env)).toMatchObject({ code: 0 })
  table.push(lineOf(walk))
})

afterAll(() => {
  const head = ['vendor', 'files', 'read', 'events', 'rejected', 'filtered', 'members left out']
  const lines = [head, head.map(() => '---'), ...table].map((cells) => `| ${cells.join(' | ')} |\n`)
  process.stdout.write(`${lines.join('')}\n`)
})

function rowOf({ counts, rejects, filtered, members }: TransformJson) {
  const lost = Object.entries(members).map(([path, fates]) => [path, lostIn(fates)] as const)
  return {
    read: counts.read,
    written: counts.written,
    generated: counts.generated,
    duplicate: counts.duplicate,
    rejected: rejects,
    filtered,
    left_out: Object.fromEntries(lost.filter(([, count]) => count > 0)),
  }
}

function expectedOf({ vendor, about, in: inputs, args, ...counts }: Walk) {
  return counts
}

/** How often a member was left out with a value, and not because the user asked. */
function lostIn(fates: Readonly<Record<string, number>>): number {
  return Object.entries(fates)
    .filter(([fate]) => fate.startsWith('left out: ') && fate !== LEFT_OUT.empty && !ASKED.has(fate))
    .reduce((sum, [, count]) => sum + count, 0)
}

function lineOf(walk: Walk): string[] {
  const named = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || '-'
  const events = String(walk.written + walk.generated)
  return [walk.vendor, walk.about, String(walk.read), events].concat(
    named(walk.rejected),
    named(walk.filtered),
    named(walk.left_out),
  )
}
