import { causeText, warningText } from '../../checks/words/warnings.ts'
import type { Verified } from '../../imports/verified.ts'
import { cutText } from './bounds.ts'
import type { ProofPart } from './report-data.ts'

const MOST_DIFFERENCES = 100
const MOST_TEXTS = 20
const MOST_TYPES = 20

/** What a verify found. */
export function proofPart({ found, asked_at, host, project }: Verified): ProofPart {
  const { equal, events, differences, missing_file, values, persons, put_right } = found
  const { ingestion_warnings: warnings } = found
  const unasked = warnings?.unasked == null ? [] : [`ingestion warnings: ${warnings.unasked}`]
  return {
    ...{ asked_at, host, project, equal, events, missing_file, put_right },
    persons: persons && {
      ...persons,
      groups: persons.groups.slice(0, MOST_TYPES).map((group) => ({ ...group, type: cutText(group.type) })),
    },
    differences: differences
      .slice(0, MOST_DIFFERENCES)
      .map((one) => ({ ...one, event: one.event && cutText(one.event) })),
    moreDifferences: Math.max(0, differences.length - MOST_DIFFERENCES),
    values: values && { compared: values.compared, absent: values.absent, changed: values.changed },
    unasked: shownTexts([...found.unasked, ...unasked]),
    causes: shownTexts(found.likely_causes.map(causeText)),
    warnings: shownTexts((warnings?.types ?? []).map(warningText)),
  }
}

function shownTexts(texts: readonly string[]): string[] {
  return texts.slice(0, MOST_TEXTS).map((text) => cutText(text))
}
