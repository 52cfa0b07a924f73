import { row } from '../options/row.ts'

/** The row of `--accept`. Its codes stand here once more, so that help loads no guard; `vitest run test/docs.test.ts -u` writes them. */
export const ACCEPT = row({
  flag: '--accept <code...>',
  choices: `
    all_rejected enforced_events failing_tests filtered_events forgets_nobody hashes_nothing hidden_events hidden_groups
    key_mismatch other_imports over_quota project_unasked refusals repeated_files repeated_ids repeated_uuids
    restricted_events rules_changed sent_before sent_otherwise state_unreadable`
    .trim()
    .split(/\s+/),
  help: 'go on although it was found; docs/findings.md says what each code stands for',
})
