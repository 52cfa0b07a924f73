import { ownOf } from '../../text/json.ts'

const LINE = 'look at that line: a tool that wrote it may have cut it short, or the file is of another format'
const ID = 'name the member that holds it: fields.distinct_id in a mapping file'
const TIME =
  'name the member that holds it: fields.timestamp in a mapping file, and time_format where it is written otherwise'
const REAL_IDS =
  'nothing to send: the identity event does not name two people; docs/identity.md says which ids stand for nobody'
const GROUP = 'correct the group in the record, or map another member: groups in a mapping file'
const OBJECT = 'mend the record so that it is an object'
const CELLS = 'see that the file is quoted as CSV is, and that --map names its columns'
const PRESET = 'see whether the preset is the right one: it does not take such a record for an event'

/** Reason of a reject -> what a user can do. */
const REMEDIES: Readonly<Record<string, string>> = {
  bad_json: LINE,
  bad_utf8:
    'say in the mapping file what the text is in, such as "encoding: windows-1252"; posthaul init tells it',
  bad_encoding:
    'look at the record and run it again once it is mended; or see whether encoding in the mapping file is right',
  trailing_bytes: LINE,
  not_an_object: LINE,
  too_deep: 'flatten the record: nothing reads more than 100 levels',
  too_many_members: 'leave members out before the transform: an event cannot hold so many',
  line_too_long: 'divide the record, or leave it out: an event has at most 900,000 bytes',
  event_missing: 'name the member that holds it: fields.event in a mapping file',
  event_not_text: 'name a member that holds text: fields.event in a mapping file',
  event_too_large: 'leave large properties out: properties.drop in a mapping file',
  event_name_too_long: 'rename it: events.rename in a mapping file',
  distinct_id_missing: ID,
  distinct_id_not_text: ID,
  distinct_id_too_long: `${ID}; at most 200 characters`,
  timestamp_missing: TIME,
  timestamp_not_text: TIME,
  timestamp_unparsable: TIME,
  timestamp_too_old:
    'see in which unit the time is written: one in seconds was perhaps taken for milliseconds',
  timestamp_in_future: 'see in which unit and zone the time is written: --source-timezone names a zone',
  uuid_invalid: 'mend the uuid, or leave it out: one is made from the record then',
  merge_dangerously: 'see docs/identity.md before you allow it: nothing can undo such a merge',
  merge_not_allowed: 'see docs/identity.md before you allow it: nothing can undo such a merge',
  identity_of_nobody: REAL_IDS,
  junk_id: REAL_IDS,
  linked_id_not_text: REAL_IDS,
  alias_missing: REAL_IDS,
  previous_id_missing: REAL_IDS,
  group_key_missing: GROUP,
  group_key_too_long: GROUP,
  group_missing: GROUP,
  group_type_missing: `${GROUP}; --group-type names a type for all, group_types those of PostHog by their index`,
  table_unknown: 'name the file after its table, such as pages.csv',
  type_missing: PRESET,
  type_unknown: PRESET,
  timestamp_zone_unknown: "name the site's zone: --source-timezone",
  token_anonymous: 'export it again with a token that may see visitors',
  event_id_missing: PRESET,
  parameters_apart: 'export the table as it is, without UNNEST: NDJSON or Parquet keep event_params whole',
  aggregated: 'export events, not sums of them',
  table_missing: 'name the file after its table',
  all_events: 'leave this table out: the others hold the same events',
  event_data: 'give its file with --join, beside that of the events',
  event_type_unknown: PRESET,
  children_not_an_array: 'mend the record so that it is an array of objects',
  child_not_an_object: 'mend the record so that it is an array of objects',
  too_many_children: 'divide the record: it holds more than can be one',
  parent_too_large: 'leave large members of the record out: each of its events would carry them',
  csv_field_count: CELLS,
  csv_cell_not_json: CELLS,
  csv_open_quote:
    'close the quote; where quotes are text, write columns_escape: backslash in the mapping file',
  csv_escaped_quote: 'write columns_escape: quotes in the mapping file',
  csv_header_repeated: 'nothing is lost: the row is a header, and no record',
  too_many_columns: CELLS,
}

/** What to do about a reject, as a sentence without its end. */
export function remedyOf(reason: string): string {
  const known = ownOf(REMEDIES, reason)
  return known ?? (reason.endsWith('_not_an_object') ? OBJECT : 'see docs/rejects.md')
}

/** Why a record is left out on purpose, for the reasons that a mapping file gives, and those of every preset. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  not_where: 'filter.where of the mapping file asks for another value',
  event_dropped: 'events.drop of the mapping file names it',
  event_not_kept: 'events.keep of the mapping file does not name it',
  before_from: 'it is before filter.from of the mapping file',
  after_to: 'it is not before filter.to of the mapping file',
  nothing_to_set: 'it would only set properties of its person, and sets none',
  no_children: 'it holds no event',
  forgotten: 'it belongs to a person who is to be forgotten',
}

export function whyLeftOut(reason: string, vendor: string): string {
  return ownOf(LEFT_OUT, reason) ?? `the preset ${vendor} leaves such records out`
}
