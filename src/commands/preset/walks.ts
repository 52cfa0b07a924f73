import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { TrialBook } from '../../mapping-tests/promises.ts'
import { readIfThere } from '../../mapping-tests/read-suite.ts'
import { count } from '../../result-parts.ts'
import { leftOutRows } from '../left-out.ts'
import type { TransformResult } from '../results.ts'

const tallied = z.record(z.string(), count).default({})

/** What became of the records of whole files. */
const outcome = z.object({
  read: count,
  written: count,
  generated: count.default(0),
  duplicate: count.default(0),
  rejected: tallied,
  filtered: tallied,
  /** Members with a value that no event holds, though nobody asked for that: how often each. */
  left_out: tallied,
})
export type WalkOutcome = Readonly<z.infer<typeof outcome>>

/** One row of `walks.json`: files as the vendor delivers them, and what must become of their records. */
const walk = z.strictObject({
  about: z.string(),
  /** What `--in` is given, below the folder `walk/`. */
  in: z.array(z.string()).min(1),
  /** More arguments of the transform. `{walk}` is the folder of the delivered files. */
  args: z.array(z.string()).default([]),
  ...outcome.shape,
})
export type FileWalk = Readonly<z.infer<typeof walk>>

/** Transforms by a command line, as `posthaul` would. `result` is undefined where it failed; `said` is what it told last. */
type TransformBy = (
  argv: readonly string[],
) => Promise<{ readonly result: TransformResult | undefined; readonly said: string }>

/** The rows of a folder's `walks.json`; none where there is no such file. */
export function readWalks(folder: string): readonly FileWalk[] {
  return readIfThere(join(folder, 'walks.json'), z.array(walk)) ?? []
}

/** Takes the files of each row through a transform, and counts. */
export async function tryWalks(
  folder: string,
  preset: string,
  { transform, book }: { readonly transform: TransformBy; readonly book: TrialBook },
): Promise<void> {
  const files = resolve(folder, 'walk')
  for (const walk of readWalks(folder)) {
    book.tried.walks++
    const add = (text: string) =>
      book.add({ promise: 'walks', case: walk.about, record: null, member: null, text })
    const work = await mkdtemp(join(tmpdir(), 'posthaul-walk-'))
    try {
      const { result, said } = await transform(walkArgv(walk, { files, preset, out: join(work, 'events') }))
      if (result) for (const difference of differencesOfWalk(walk, walkOutcome(result))) add(difference)
      else add(`transform failed: ${said}`)
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }
}

function walkArgv(
  { in: inputs, args }: FileWalk,
  { files, preset, out }: { readonly files: string; readonly preset: string; readonly out: string },
): string[] {
  return [
    'transform',
    ...(args.includes('--preset') ? [] : ['--preset', preset]),
    ...inputs.flatMap((name) => ['--in', join(files, name)]),
    ...args.map((word) => word.replace('{walk}', files)),
    ...['--out', out],
  ]
}

/** What a transform's result says of a walk. */
export function walkOutcome({ counts, rejects, filtered, members }: TransformResult): WalkOutcome {
  const { read, written, generated, duplicate } = counts
  const left_out = Object.fromEntries(leftOutRows({ members }).map(({ path, records }) => [path, records]))
  return { read, written, generated, duplicate, rejected: rejects, filtered, left_out }
}

function differencesOfWalk(wanted: FileWalk, found: WalkOutcome): string[] {
  return Object.entries(found).flatMap(
    ([name, value]: [string, number | Readonly<Record<string, number>>]) => {
      const expected = wanted[name as keyof WalkOutcome]
      if (typeof value === 'number' || typeof expected === 'number')
        return value === expected ? [] : [`${name}: expected ${expected}, found ${value}`]
      const words = [...new Set([...Object.keys(expected), ...Object.keys(value)])]
      return words
        .filter((word) => expected[word] !== value[word])
        .map((word) => `${name}.${word}: expected ${expected[word] ?? 0}, found ${value[word] ?? 0}`)
    },
  )
}
