import { PosthaulError } from '../errors.ts'
import type { ConfigFile } from './schema.ts'
import type { Parse } from './values.ts'

/** Everything a setting can come from, strongest first. */
export interface Sources {
  /** Commander's options, by camelCase name. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly file: ConfigFile
  /** How messages call the config file. */
  readonly fileName: string
}

/** A setting: what it is called in each source, and how its text is read. */
export interface Setting<T> {
  /** The option's camelCase name, `maxEvents` for `--max-events`. */
  readonly flag?: string
  readonly env?: string
  /** The key in the config file, dotted when it is nested. */
  readonly file?: string
  readonly parse: Parse<T>
}

export type Tier = 'flag' | 'env' | 'file' | 'default'

/** A value and where it came from, in the user's words (`--host`, `POSTHOG_HOST`). */
export interface Resolved<T> {
  readonly value: T
  readonly tier: Tier
  readonly from: string
}

/** The setting's strongest value: flag over environment over config file. Pure. */
export function resolve<T>(setting: Setting<T>, sources: Sources): Resolved<T> | undefined {
  for (const { raw, tier, from } of candidates(setting, sources)) {
    if (raw === undefined || raw === '') continue
    try {
      return { value: setting.parse(String(raw)), tier, from }
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw new PosthaulError(`${from} is "${String(raw)}": ${cause.message}`, {
        code: tier === 'flag' ? 'usage' : 'config',
        cause,
      })
    }
  }
  return undefined
}

/** As `resolve`, with a default that is always there. */
export function resolveOr<T>(setting: Setting<T>, sources: Sources, fallback: T): Resolved<T> {
  return resolve(setting, sources) ?? { value: fallback, tier: 'default', from: 'the default' }
}

interface Candidate {
  readonly raw: unknown
  readonly tier: Tier
  readonly from: string
}

function candidates({ flag, env, file }: Omit<Setting<unknown>, 'parse'>, sources: Sources): Candidate[] {
  const found: Candidate[] = []
  if (flag) found.push({ raw: sources.flags[flag], tier: 'flag', from: flagName(flag) })
  if (env) found.push({ raw: sources.env[env], tier: 'env', from: env })
  if (file) found.push({ raw: dig(sources.file, file), tier: 'file', from: `${file} in ${sources.fileName}` })
  return found
}

/** `maxEvents` as it is typed: `--max-events`. */
export function flagName(camelCase: string): string {
  return `--${camelCase.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function dig(file: ConfigFile, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], file)
}
