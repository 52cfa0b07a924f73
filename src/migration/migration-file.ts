import { dirname, resolve } from 'node:path'
import { leastPerMinute, OPEN_EVENTS, OPEN_PER_MINUTE } from '../delivery/pacer.ts'
import { PosthaulError } from '../errors.ts'
import { isPresetFile } from '../mapping/preset.ts'
import { type Refuse, readSettings } from '../mapping/settings-text.ts'
import { SINGLE_WRITER } from '../options/import-rows.ts'
import { readOptions } from '../options/options.ts'
import type { Env } from '../options/row.ts'
import { refuseKeysInConfig } from '../options/stray-keys.ts'
import { utcTime } from '../options/values.ts'
import type { VendorProject } from '../sources/vendor-source.ts'
import { type VendorName, vendorNamed } from '../sources/vendors.ts'
import { readNamed } from '../store/read-file.ts'
import { isS3 } from '../store/s3-location.ts'
import { posthaulLine } from '../text/shell-word.ts'
import { type MigrationInput, migrationSchema, type VendorSettings } from './migration-schema.ts'
import type { Settings } from './row-setting.ts'

/** The export of a vendor. */
export interface VendorExport {
  readonly kind: 'vendor'
  readonly vendor: VendorName
  /** In ms since the epoch; `to` is the first instant that is left out, undefined only with a schedule. */
  readonly from: number
  readonly to: number | undefined
  /** What the environment tells the export, by variable. */
  readonly env: Readonly<Record<string, string>>
  /** Its other options, by name with underscores. */
  readonly settings: Settings
}

type StoreInput = Exclude<MigrationInput['store'], string>

/** A migration file, read and checked. Paths are as written: relative to the file. */
export type Migration = Readonly<ReturnType<typeof parseMigration>>

const MIGRATION_FILE = {
  schema: migrationSchema,
  what: 'a migration file',
  exactNumbers: false,
  // What is right in each place, for the messages on what isn't.
  examples: {
    '': 'source: { files: [raw/] }',
    source: 'source: { files: [raw/] }',
    mapping: 'mapping: { preset: mixpanel }',
    store: 'store: data/',
    target: 'target: { region: eu }',
  },
}

/**
 * Checks the text of a migration file; errors (code `config`) have `name`, line and column. `env`: the secrets that the
 * file must not hold.
 */
export function parseMigration(text: string, name: string, env: Env) {
  try {
    // First, because messages repeat values and end up in logs.
    refuseKeysInConfig(text, name, env)
  } catch (error) {
    if (!(error instanceof PosthaulError)) throw error
    throw new PosthaulError(error.message, {
      code: 'config',
      hint: 'take the key out; the environment has the keys, or a file of mode 0600 that <NAME>_FILE names',
      cause: error,
    })
  }
  const { value, refuse } = readSettings(text, name, MIGRATION_FILE)
  const source = sourceOf(value, refuse)
  const ofVendor = source.kind === 'vendor' ? presetOf(source) : undefined
  const { preset = ofVendor, file, join = {}, ...others } = value.mapping ?? {}
  if (preset === undefined && file === undefined) {
    refuse(
      ['source'],
      `${source.kind === 'files' ? 'files' : 'records'} need a mapping: a preset, or a mapping file`,
      'add mapping: with preset: or file:',
    )
  }
  const store = typeof value.store === 'string' ? { at: value.store } : value.store
  return {
    source,
    mapping: {
      file,
      /** Path of the user's own preset. */
      presetFile: preset !== undefined && isPresetFile(preset) ? preset : undefined,
      /** Paths of tables, by name. */
      join,
      settings: { preset, ...others } as Settings,
    },
    store: { ...store, at: store.at.replace(/(?<=[^/])\/+$/, '') } as StoreInput,
    target: value.target,
    caps: capsOf(value, refuse),
    approval: value.approval,
    import: (value.import ?? {}) as Settings,
    verify: { wait: '10m', ...value.verify } as Settings,
    isScheduled: value.schedule !== undefined,
    notifications: value.notifications ?? {},
  }
}

/** The export of a vendor, or files that are there already. */
function sourceOf(
  { source, schedule }: MigrationInput,
  refuse: Refuse,
): VendorExport | { readonly kind: 'files'; readonly files: readonly string[] } {
  const { files, ...vendors } = source
  if (files) {
    if (schedule) refuse(['schedule'], 'a schedule needs the export of a vendor: files have no dates')
    return { kind: 'files', files }
  }
  const [vendor, settings] = Object.entries(vendors).find(
    (entry): entry is [VendorName, VendorSettings] => entry[1] !== undefined,
  )!
  const { from: first, to: end, ...others } = settings
  const [from, to] = [utcTime(first), end === undefined ? undefined : utcTime(end)]
  if (to !== undefined && to <= from) refuse(['source', vendor, 'to'], 'is not after from')
  if (to === undefined && !schedule) {
    const hint = 'add to: with the first day that is left out, or schedule: daily to go on day by day'
    refuse(['source', vendor], 'has no end', hint)
  }
  const { variables } = vendorNamed(vendor)
  const env = Object.entries(variables).flatMap(([name, [variable]]) => {
    const value = others[name]
    return typeof value === 'string' ? [[variable, value]] : []
  })
  const options = Object.entries(others).filter(([name]) => !(name in variables))
  return {
    kind: 'vendor',
    vendor,
    from,
    to,
    env: Object.fromEntries(env),
    settings: Object.fromEntries(options),
  }
}

/** The preset that reads the records of an export; undefined where only the user knows it. */
function presetOf({ vendor, settings }: VendorExport): string | undefined {
  const { preset } = vendorNamed(vendor)
  return preset ? preset(settings) : vendor
}

/** The vendor's project, as far as the file names it. */
export function migrationProject({ vendor, settings, to = Date.now() }: VendorExport, at: At): VendorProject {
  const file = settings.file
  const text = (name: string) => {
    const value = settings[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    vendor,
    baseUrl: text('base_url'),
    region: text('region') ?? 'us',
    url: text('url'),
    site: text('site'),
    settings: typeof file === 'string' ? { ...settings, file: at(file) } : settings,
    until: Math.min(to, Date.now()),
  }
}

/** Beyond what the service allows unasked, the grant's numbers are the caps. */
function capsOf({ caps = {}, approval, import: importing }: MigrationInput, refuse: Refuse) {
  const cap = (key: 'events' | 'events_per_minute', open: number): number => {
    const granted = approval?.[key]
    const asked = caps[key]
    const most = Math.max(granted ?? open, open)
    if (asked !== undefined && asked > most) {
      const limit = most.toLocaleString('en')
      const hint = 'once its team has approved the migration, write its numbers under approval:'
      refuse(['caps', key], `is over ${limit}, which the service must approve first`, hint)
    }
    return asked ?? granted ?? open
  }
  const [events, eventsPerMinute] = [cap('events', OPEN_EVENTS), cap('events_per_minute', OPEN_PER_MINUTE)]
  const lanes = importing?.lanes ?? 1
  const least = leastPerMinute(Number(lanes))
  if (eventsPerMinute < least)
    refuse(['caps', 'events_per_minute'], `is under ${least}, which ${lanes} lanes need`)
  return { events, eventsPerMinute, approved: events > OPEN_EVENTS || eventsPerMinute > OPEN_PER_MINUTE }
}

/** Makes of a path of the migration file one that commands take. */
export type At = (path: string) => string

/** A migration and how its paths are read. */
export interface LoadedMigration {
  readonly migration: Migration
  readonly at: At
}

/** Reads a migration file. Its paths begin at its folder: a cron job runs in another one. */
export async function loadMigration(path: string, env: Env): Promise<LoadedMigration> {
  const hint = `check the path; ${posthaulLine(['run', '--init', path])} writes one`
  const text = await readNamed(path, `there is no migration file ${path}`, hint)
  const folder = dirname(resolve(path))
  const at: At = (name) => (isS3(name) ? name : resolve(folder, name))
  const migration = parseMigration(text, path, env)
  const { values } = await readOptions([SINGLE_WRITER], [], env)
  const { single_writer = values.singleWriter } = migration.store
  return { migration: { ...migration, store: { ...migration.store, single_writer } }, at }
}
