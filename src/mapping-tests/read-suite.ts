import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { isPresetFile } from '../mapping/preset.ts'
import { nearest } from '../text/nearest.ts'
import { type Fixture, readFixtures } from './fixture-kit.ts'
import type { Unseen } from './lost-values.ts'

/** The cases of a preset. */
export interface Suite {
  readonly cases: readonly Fixture[]
  /** Members whose values no event shows by design, and why: by path, or by its first or last name. */
  readonly unseen: Unseen
}

/**
 * Where the fixtures of a preset lie: undefined for those that the package has of one of its own.
 * @internal
 */
export function fixturesFolder(preset: string, named: string | undefined): string | undefined {
  if (named !== undefined || !isPresetFile(preset)) return named
  const folder = join(dirname(preset), `${basename(preset, extname(preset))}.fixtures`)
  if (existsSync(folder)) return folder
  throw new PosthaulError(`${preset} has no fixtures: there is no folder ${folder}`, {
    code: 'config',
    hint: `write valid/ and invalid/ into it, one JSON file a case (docs/presets.md), or name a folder with --fixtures`,
  })
}

/**
 * Reads the cases of a folder. Code `config` for a folder without cases, and for a file that holds something else.
 * @internal
 */
export function readSuite(folder: string): Suite {
  const cases = readFixtures(folder)
  const path = join(folder, 'unseen.json')
  if (!existsSync(path)) return { cases, unseen: {} }
  const { data, error } = z.record(z.string(), z.string()).safeParse(readJson(path))
  if (!error) return { cases, unseen: data }
  const [issue] = error.issues
  throw new PosthaulError(`${path}: ${issue?.path.join('.') || 'all of it'}: ${issue?.message}`, {
    code: 'config',
  })
}

/** What the package has of posthaul's own presets, by their names. */
function published(): Readonly<Record<string, Suite>> {
  kept ??= readJson(new URL('../../dist/fixtures.json', import.meta.url)) as typeof kept
  return kept!
}
let kept: Readonly<Record<string, Suite>> | undefined

/** Names of the vendors whose fixtures the package has. */
export function fixtureVendors(): readonly string[] {
  return Object.keys(published())
}

/** The fixtures of a vendor, for other importers, too. Code `usage` for a name that `fixtureVendors` doesn't tell. */
export function vendorFixtures(vendor: string): Suite {
  const names = fixtureVendors()
  if (names.includes(vendor)) return published()[vendor]!
  const meant = nearest(vendor, names)
  throw new PosthaulError(`there are no fixtures of "${vendor}"`, {
    code: 'usage',
    hint: meant ? `did you mean "${meant}"?` : `fixtures: ${names.join(', ')}`,
  })
}

function readJson(path: string | URL): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (cause) {
    throw new PosthaulError(`${path}: no JSON: ${(cause as Error).message}`, { code: 'config', cause })
  }
}
