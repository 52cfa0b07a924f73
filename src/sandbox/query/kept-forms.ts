import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A form that takes less is parsed anew by each process. */
const SLOW_MS = 50

/**
 * What slow forms of queries were parsed to, in the user's folder for caches, by the parser's version: it takes twice as long
 * with each call in a call, up to seconds. Nothing depends on it: what can't be read or written is parsed anew.
 */
export class KeptForms {
  readonly #folder: string

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const caches = env.XDG_CACHE_HOME || join(env.HOME || '/', '.cache')
    this.#folder = join(caches, 'posthaul', `queries-${parserVersion()}`)
  }

  /** The JSON that the form was parsed to; undefined for one that is not kept. */
  find(form: string): string | undefined {
    try {
      const text = readFileSync(this.#pathOf(form), 'utf8')
      // A file that is cut short is none.
      JSON.parse(text)
      return text
    } catch {
      return undefined
    }
  }

  keep(form: string, json: string, tookMs: number): void {
    if (tookMs < SLOW_MS) return
    const path = this.#pathOf(form)
    const draft = `${path}.${process.pid}`
    try {
      mkdirSync(this.#folder, { recursive: true })
      writeFileSync(draft, json)
      renameSync(draft, path)
    } catch {
      // A home without room, or that can't be written to.
    }
  }

  #pathOf(form: string): string {
    return join(this.#folder, `${createHash('sha256').update(form).digest('hex')}.json`)
  }
}

function parserVersion(): string {
  const main = createRequire(import.meta.url).resolve('@posthog/hogql-parser')
  return JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')).version
}
