import { isNullWord } from '../../record/nobody.ts'
import { textIn } from '../../record/text.ts'
import { number, plural } from '../../text/words.ts'
import { lastName } from '../profile/member.ts'
import type { Facts } from './draft-facts.ts'
import { asked, inComment, yamlKeyText } from './yaml-text.ts'

/** What pipelines call the mark of a row that is deleted at its source, or is not its last version. */
const PIPELINE =
  /^(?:_fivetran_deleted|_ab_cdc_deleted_at|_sdc_deleted_at|__deleted|__hevo__marked_deleted|_peerdb_is_deleted|dbt_valid_to|dbt_is_deleted)$/i
/** What they call the kind of a change: Debezium, AWS DMS, Delta Lake, BigQuery, Snowflake's streams. */
const CHANGE_NAME = /^(?:(?:__)?op|_change_type|metadata\$action)$/i
/** What an app calls its own: whether such a row is an event nobody knows. */
const OWN = /^_?(?:is_?)?deleted(?:_?at)?$/i
const FALSE = /^(?:false|f|0|no)$/i
const TRUE = /^(?:true|t|1|yes)$/i
const CHANGE = /^(?:[cruidt]|insert|update|upsert|delete|update_(?:pre|post)image)$/i
const IS_GONE = /^(?:d|t|delete|update_preimage)$/i
/** The others, all of them: the first records need not have each. */
const STAYS = [...'crui', 'insert', 'update', 'upsert', 'update_postimage']

/** What `filter.where` leaves out: rows that are marked as deleted. */
export function deletedLines({ profiles, records, only, isText }: Facts): string[] {
  const lines: string[] = []
  const questions: string[] = []
  for (const { member } of profiles) {
    const [name, own] = [inComment(member.name), lastName(member.name)]
    const texts = member.values.map((json) => textIn(json).trim())
    const said = texts.filter((text) => !isNullWord(text))
    const isFlag = said.every((text) => FALSE.test(text) || TRUE.test(text))
    const isChange = CHANGE_NAME.test(own) && said.length > 0 && said.every((text) => CHANGE.test(text))
    if (!isChange && !PIPELINE.test(own) && !OWN.test(own)) continue
    const isGone = (text: string) =>
      isChange ? IS_GONE.test(text) : isFlag ? TRUE.test(text) : !isNullWord(text)
    const gone = texts.filter(isGone).length
    if (gone === 0 && (OWN.test(own) || isChange)) continue
    const [form = ''] = said
    const alike = STAYS.filter(({ length }) => (length === 1) === (form.length === 1))
    const others = alike.map((word) => (form === form.toLowerCase() ? word : word.toUpperCase()))
    const kept = new Set([
      '',
      ...(isChange ? others : isFlag ? ['false'] : []),
      ...texts.filter((text) => !isGone(text)),
    ])
    const where = `${yamlKeyText(member.name)}: [${[...kept].map((text) => JSON.stringify(text)).join(', ')}]`
    const marked = `${number(gone)} of ${plural(records, 'record')} are marked by ${name} as deleted or outdated`
    const isRead = member.isPath && !(isText && only && !only.includes(member.name))
    if (isRead && !OWN.test(own))
      lines.push(`    ${where}`, ...asked(`${marked}: left out. Should they be events? Then delete the line`))
    else {
      const filter = `"filter: { where: { ${where} } }"`
      questions.push(...asked(`${marked}: they become events. ${filter} leaves them out: should it?`))
    }
  }
  return [...(lines.length > 0 ? ['filter:', '  where:', ...lines] : []), ...questions]
}
