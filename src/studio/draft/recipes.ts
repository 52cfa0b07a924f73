import { members } from '../../record/json-values.ts'
import { number } from '../../text/words.ts'
import type { DraftLines } from './draft-facts.ts'
import { comment } from './yaml-text.ts'

/** A vendor without a preset, whose page has a mapping file. */
interface Recipe {
  readonly title: string
  /** In docs/vendors/. */
  readonly page: string
  /** Members that its records have together: one of these lists. */
  readonly signs: ReadonlyArray<readonly string[]>
}

const RECIPES: readonly Recipe[] = [
  {
    title: 'GoatCounter',
    page: 'goatcounter',
    signs: [
      ['2Path', 'Session', 'Date'],
      ['1Path', 'Session', 'Date'],
    ],
  },
  {
    title: 'Countly',
    page: 'countly',
    signs: [
      ['e', 'did', 'ts'],
      ['did', 'uid', 'ts', 'sg'],
    ],
  },
  {
    title: 'Braze',
    page: 'braze',
    signs: [
      ['id', 'user_id', 'external_user_id', 'time'],
      ['id', 'user_id', 'time', 'app_id'],
      ['id', 'user_id', 'time', 'campaign_id'],
      ['id', 'user_id', 'time', 'canvas_id'],
    ],
  },
  { title: 'customer.io', page: 'customer-io', signs: [['event_id', 'object_type', 'metric', 'timestamp']] },
  {
    title: 'Plausible that you host',
    page: 'plausible',
    signs: [['site_id', 'name', 'user_id', 'session_id', 'hostname', 'pathname']],
  },
  {
    title: 'Adobe Analytics',
    page: 'adobe',
    signs: [
      ['hit_time_gmt', 'post_visid_high', 'post_visid_low'],
      ['hit_time_gmt', 'visid_high', 'visid_low'],
      ['hit_time_gmt', 'mcvisid'],
      ['hit_time_gmt', 'post_page_event'],
    ],
  },
  {
    title: 'Vercel Web Analytics',
    page: 'vercel',
    signs: [
      ['eventType', 'timestamp', 'deviceId', 'sessionId', 'origin', 'path'],
      ['schema', 'eventType', 'deviceId', 'projectId'],
    ],
  },
]
/** Least share of the records that have them. */
const MIN_SHARE = 0.5

/** What is said of records that a vendor's page has a mapping file for. `texts`: records as JSON. */
export function recipeDraft(texts: readonly string[]): DraftLines | undefined {
  const names = texts.map((text) => new Set(members(text).map(([name]) => name)))
  const found = RECIPES.flatMap(({ signs, ...recipe }) =>
    signs.map((sign) => {
      const records = names.filter((own) => sign.every((name) => own.has(name))).length
      return { ...recipe, sign, records }
    }),
  ).filter(({ records }) => records > 0 && records >= texts.length * MIN_SHARE)
  const [best] = found.sort((a, b) => b.records - a.records || b.sign.length - a.sign.length)
  if (!best) return undefined
  const text = `${number(best.records)} of ${number(texts.length)} records have ${best.sign.join(', ')}, as records of ${best.title} do: docs/vendors/${best.page}.md has a mapping file for them, which knows more than this one. Are they of ${best.title}?`
  return { lines: [...comment(text, '', '# ? '), ''], questions: [{ about: '', text }] }
}
