import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Ended } from '../../helpers/cli-process.ts'
import { history } from '../../helpers/history.ts'
import { readSoundDataset } from '../../helpers/sound-dataset.ts'
import { started } from '../../helpers/started.ts'
import { FakeMixpanel, MIXPANEL_ENV, type MixpanelEvent } from '../../helpers/vendors/mixpanel.ts'
import { mint } from './mint.ts'
import { Oracle } from './oracle.ts'
import { Service } from './service.ts'

/** One command in a place of its own, which a test disturbs and then runs again. */
interface Work {
  /** The command line, the same every time. */
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Checks what is there after a run that came to its end: all of it, once, whole. */
  readonly check: (ended: Ended) => Promise<void> | void
}

/** Makes new work in an empty folder. */
export type Begin = (folder: string) => Promise<Work> | Work

/** The works of one test, by the command: each `begin` makes another place for the same input. */
export function worksOf(seed: number): Readonly<Record<'transform' | 'export' | 'import', Begin>> {
  return { transform: transformWork(seed), export: exportWork(seed), import: importWork(seed) }
}

/** A transform whose dataset has to be the same to the byte each time. */
function transformWork(seed: number): Begin {
  const raw = [...history({ seed, bytes: 60_000, days: 3, people: 20, broken: 0.05 })].join('')
  let whole: Record<string, string> | undefined
  return (folder) => {
    const [input, out] = [join(folder, 'raw.ndjson'), join(folder, 'events')]
    writeFileSync(input, raw)
    return {
      argv: ['transform', '--preset', 'amplitude', '--in', input, '--out', out, '--workers', '1'],
      check({ code, stderr }) {
        expect(code, stderr).toBe(3)
        readSoundDataset(out)
        const content = contentOf(out)
        // The manifest has the folder, which is another each time, and the time it was made.
        const manifest = content['manifest.json']!.replaceAll(folder, '')
        content['manifest.json'] = manifest.replace(/"created_at": "[^"]*"/, '')
        whole ??= content
        expect(content).toEqual(whole)
      },
    }
  }
}

/** An export that has to have each record of the vendor once. */
function exportWork(seed: number): Begin {
  const events = Array.from({ length: 90 }, (_, n): MixpanelEvent => {
    const time = Date.UTC(2024, 2, 1 + (n % 3), 0, n)
    return {
      event: 'Plan Chosen',
      properties: { time, distinct_id: `user-${n % 9}`, $insert_id: `insert-${n}` },
    }
  })
  return async (folder) => {
    const fake = await started(new FakeMixpanel({ events, seed }))
    const out = join(folder, 'raw')
    const quick = ['--base-url', fake.url, '--requests-per-hour', '100000', '--no-reconcile']
    return {
      argv: ['export', 'mixpanel', '--from', '2024-03-01', '--to', '2024-03-04', '--out', out, ...quick],
      env: MIXPANEL_ENV,
      check({ code, stderr }) {
        expect(code, stderr).toBe(0)
        const parts = Object.entries(contentOf(out)).filter(([name]) => name.endsWith('.ndjson.gz'))
        const text = parts.map(([, bytes]) => gunzipSync(Buffer.from(bytes, 'latin1')).toString()).join('')
        const ids = linesOf(text).map((line) => JSON.parse(line).properties.$insert_id)
        expect(ids.sort()).toEqual(events.map(({ properties }) => properties.$insert_id).sort())
      },
    }
  }
}

/**
 * An import that has to bring each event into the service, and each refused one into the rejects, once. `more`: options.
 */
export function importWork(seed: number, ...more: readonly string[]): Begin {
  return async (folder) => {
    const service = await Service.start()
    const path = join(folder, 'events.ndjson')
    const minted = mint(path, { seed, events: 90, days: 3 })
    for (const n of [7, 40, 41, 77]) service.poison.add(minted[n]!.uuid)
    const lifted = ['--approved', '--max-events-per-minute', '100000000', '--batch-events', '10']
    return {
      argv: ['import', '--file', path, '--json', ...lifted, ...more],
      env: { POSTHOG_PROJECT_API_KEY: 'phc_faults', POSTHOG_INGEST_HOST: service.url },
      check({ code, stdout, stderr }) {
        // 0 if the rejects were made by the run before.
        expect(code, stderr).toBeOneOf([0, 3])
        const rejectsFile = `${path}.rejects.ndjson`
        new Oracle(minted).judge({ service, rejectsFile, summary: JSON.parse(stdout) })
        service.stop()
      },
    }
  }
}

/** Every file of a folder, by name. */
function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => !name.startsWith('.') && statSync(join(folder, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]))
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(Boolean)
}
