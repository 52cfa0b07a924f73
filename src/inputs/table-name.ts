const UUID = '[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}'
const DATE = String.raw`(?:19|20)\d\d([-_]?)[01]\d\1[0-3]\d(?:[-_T]?\d{2}[-_:]?\d{2}(?:[-_:]?\d{2})?Z?)?`

/** What packers and writers add to a name: `.csv.gz`, `.snappy.parquet`, `-c000.avro`. */
const ENDING =
  /(?:\.(?:gz|br|zip|csv|tsv|tab|psv|txt|json|jsonl|ndjson|avro|parquet|snappy|deflate|zstd?)|[-.]c\d{3})$/i

/** What numbers the files of one table: `-000`, `_0001_part_00`, `-000000000003`, `_20240601`, a uuid. */
const NUMBERING = new RegExp(
  String.raw`(?:[-_.]?\d*_part_\d+|[-_.]${UUID}|[-_.]${DATE}|[-.]\d{3,}|_0\d{2,}|_\d{10,})$`,
  'i',
)

/** A name that only numbers or dates what it holds: the table is named further up. */
const NUMBERED = new RegExp(
  String.raw`^(?:[\d._TZ:-]*|${UUID}|\d*_?part[-_.]?\d.*|(?:part|chunk|shard|split|file|data|run|sync|batch|export|dump)s?(?:[-_.]?\d[\d_.-]*)?(?:[-_.]?${UUID})?|[^=]+=.*)$`,
  'i',
)

/** A folder that says what kind of events it holds, as Braze Currents writes it. */
const STATED = /^event_type=(.+)$/

/** Folders that hold tables and are none. */
const NO_TABLE = /^(?:raw|in|inputs?|out|outputs?|tmp|temp|downloads?|desktop|tables?|\.\.?|~)$/i

/**
 * The table that a path names: of numbered parts the folder, else the file without endings and numbering.
 * `sync_12/checkout_click_buy/part-00000-….avro` is of checkout_click_buy, `pages-000.csv.gz` of pages. Undefined where
 * nothing names one. Hand it no more folders than the user spoke of: those above them are named for other reasons.
 */
export function tableOf(path: string): string | undefined {
  const [file = '', ...folders] = path.split('/').filter(Boolean).reverse()
  const stated = folders.map((name) => STATED.exec(name)?.[1]).find(Boolean)
  if (stated !== undefined) return stated
  for (const name of [withoutNumbering(file), ...folders]) {
    if (NUMBERED.test(name)) continue
    return NO_TABLE.test(name) ? undefined : name
  }
  return undefined
}

function withoutNumbering(file: string): string {
  return strip(strip(file, ENDING), NUMBERING)
}

/** Takes a pattern off the end as often as it is there; what would leave nothing stays. */
function strip(name: string, pattern: RegExp): string {
  const shorter = name.replace(pattern, '')
  return shorter === name || shorter === '' ? name : strip(shorter, pattern)
}
