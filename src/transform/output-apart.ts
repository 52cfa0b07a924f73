import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { askEach, withoutLinks } from '../inputs/locate.ts'
import { assertPlaceFor, datasetWords, findManifest, isFinished, occupied } from '../store/dataset.ts'
import type { Manifest } from '../store/manifest.ts'
import { MANIFEST } from '../store/name.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import type { Store } from '../store/store.ts'
import { sum } from '../text/lists.ts'
import { assertSameHashKey } from './hash-key.ts'
import type { Job } from './job.ts'
import type { LookAtRules } from './rules-made.ts'

/** What a user names on the command line. */
interface Named {
  readonly in: readonly string[]
  readonly out?: string | undefined
}

/**
 * Refuses a folder of inputs that has `--out` in it, or is it: another run, with another `--out`, would take the events of
 * this one for records. Links are followed. Code `usage`.
 */
export async function assertOutside({ in: named, out }: Named): Promise<void> {
  if (out === undefined) return
  const folder = await realPath(out)
  for (const path of named) {
    const inputs = await realPath(path)
    if (!isInside(folder, inputs)) continue
    const where =
      folder === inputs ? 'is the folder of the inputs' : `lies in the folder of the inputs, ${path}`
    throw new PosthaulError(`the events would go to ${out}, which ${where}`, {
      code: 'usage',
      hint: 'name a folder beside it for --out: another run would read the events as if they were records',
    })
  }
  if (!isS3(out)) await isFinished(await openStore(out))
}

/**
 * Leaves out what `--out` holds of the files that a pattern such as `**` fits: an earlier run's output is no input, unless
 * it is named itself.
 */
export async function withoutOutput(
  inputs: readonly InputFile[],
  { in: named, out }: Named,
): Promise<readonly InputFile[]> {
  if (out === undefined) return inputs
  const folder = await realPath(out)
  const lies = async (path: string) => isInside(await realPath(path), folder)
  if ((await Promise.all(named.map(lies))).includes(true)) return inputs
  const inside = await askEach(inputs, ({ path }) => lies(path))
  const kept = inputs.filter((_, index) => !inside[index])
  if (kept.length > 0 || inputs.length === 0) return kept
  throw new PosthaulError(`${named.join(' ')} holds no input files beside those in ${out}`, {
    code: 'input',
    hint: 'check the path; --out is where events go',
  })
}

/** Refuses inputs that lie where the events go. Folders whose names begin with a dot are no part of a dataset. */
export async function assertInputsStay({ out, inputs }: Pick<Job, 'out' | 'inputs'>): Promise<void> {
  const folder = await realPath(out)
  for (const { path } of inputs) {
    const inside = relative(folder, await realPath(path))
    if (inside.startsWith('.') || isAbsolute(inside)) continue
    throw new PosthaulError(`${path} is an input and lies in the folder for the events, ${out}`, {
      code: 'usage',
      hint: 'choose another folder for --out: what is there would be replaced',
    })
  }
}

function isInside(path: string, folder: string): boolean {
  return `${path}${sep}`.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Without links. What isn't there yet is found by way of the folder that is. */
async function realPath(path: string): Promise<string> {
  const whole = resolve(path)
  try {
    return await withoutLinks(whole)
  } catch {
    const parent = dirname(whole)
    return parent === whole ? whole : join(await realPath(parent), basename(whole))
  }
}

type SourceWords = Readonly<Record<string, string>>

interface MadeOf {
  readonly source: SourceWords
  /** True for what an earlier run of the same command left. */
  readonly begun: boolean
  /** Those that make the events now. */
  readonly rules?: string
  readonly guard?: LookAtRules | undefined
}

/**
 * Refuses to write over anything but an empty place, the events of the same source, made before, or what a transform that
 * was `begun` left there.
 */
export async function assertReplaceable(
  store: Store,
  out: string,
  { source, begun, rules, guard }: MadeOf,
): Promise<void> {
  await assertPlaceFor(store, source.kind === 'groups' ? 'groups' : 'events')
  const manifest = (await findManifest(store))?.manifest
  if (manifest?.kind === 'events') {
    assertSameSource(out, source, manifest)
    assertSameHashKey(out, manifest.source.hash_key, source.hash_key)
    if (rules === undefined) return
    // Where the older events were sent, these would be sent beside them.
    const count = sum(Object.values(manifest.days))
    guard?.({ rules: { what: `the events in ${out}`, before: manifest.rules, now: rules, count } })
    return
  }
  if (begun || (await store.list()).length === 0) return
  throw new PosthaulError(`${out} is not empty, and has no ${MANIFEST} that says it holds events`, {
    code: 'usage',
    hint: 'name an empty folder with --out; a manifest that was lost can be put back from a copy',
  })
}

/** Making a dataset again from its source is fine; writing Amplitude's over Mixpanel's by mistake is a loss. */
function assertSameSource(out: string, now: SourceWords, manifest: Manifest): void {
  const { preset, inputs } = manifest.source
  const trimmed = (text = '') => text.replaceAll(/\/+( |$)/g, '$1')
  if (now.preset !== preset || trimmed(now.inputs) !== trimmed(inputs)) {
    throw occupied(out, datasetWords(manifest))
  }
  const { trial } = manifest.source
  if ((now.trial === undefined) !== (trial === undefined))
    throw occupied(out, trial === undefined ? 'a dataset that is not a trial' : `a trial (${trial})`)
}
