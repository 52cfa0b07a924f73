import { MERGE_RULE } from '../../record/merging.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { MANY_IDS } from '../people-seen.ts'
import type { ProjectAsked } from '../project-side.ts'
import { HIDDEN_HINT, missingText, youngerText } from './group-type-words.ts'
import { OTHERS_REMEDY, othersLines } from './others.ts'
import { OVER_QUOTA, overText, shortText } from './quota.ts'
import { error, mappingLine, note, type Wording, warning } from './wording.ts'

/** What is said of groups, of people, and of the project. */
export const SERVICE_WORDS = {
  hidden_groups: error(({ fit }) => ({
    text: (fit?.younger ?? []).map(youngerText).join('; '),
    remedy: HIDDEN_HINT,
  })),
  new_group_types: note(({ fit }) => ({
    text: (fit?.missing ?? []).map(missingText).join('; '),
  })),
  groups_unasked: note(({ check: { groups } }) => ({
    text: groups.unasked ?? '',
    remedy: 'set POSTHOG_PERSONAL_API_KEY (scopes project:read, group:read and query:read)',
  })),
  nobody_ids: warning(({ count, some }) => ({
    text: `${plural(count, 'event')} of ids that stand for nobody: ${some}; the service makes no person of some of these ids, and one person of all who share the others`,
    remedy: mappingLine('fields: { distinct_id: <a better place> }'),
  })),
  refused_merges: warning(({ count, check }) => {
    const { taken, ofNobody } = check.plan.inspection.people
    const why = [
      ...(taken.count > 0
        ? [
            `${number(taken.count)} of an id that is another person's already (a user id that the service doesn't know yet becomes that person's)`,
          ]
        : []),
      ...(ofNobody.count > 0 ? [`${number(ofNobody.count)} of an id that stands for nobody`] : []),
    ]
    return {
      text: `${plural(count, 'identity event')} will join nobody: ${why.join(', ')}`,
      remedy: 'right for a device that several people share; else mend the ids in the source',
    }
  }),
  large_persons: warning(({ count, check }) => {
    const [largest] = check.plan.inspection.people.largest
    const most = largest ? `, the largest ${number(largest.ids)} (${visible(largest.id)})` : ''
    return {
      text: `${plural(count, 'person')} of more than ${MANY_IDS} ids${most}: often a test user, or an id that many people share`,
      remedy:
        'look at these ids: a merge cannot be undone; leave out the $identify events of an id that is no person',
    }
  }),
  project_in_use: warning(({ count, some, names, check: { project } }) => ({
    text: `the project ${projectName(project.project)} has ${plural(count, 'event')} that ${count === 1 ? 'is' : 'are'} not of this import on ${number(names.length)} of these days: ${some}`,
    remedy: `if they are the same history it will be there twice: import into a new project, or leave these days out, ${mappingLine(`filter: { to: ${names[0]} }`)}`,
  })),
  project_unasked: note(({ check: { project } }) => ({
    text: visible(project.unasked ?? ''),
    remedy: 'posthaul doctor says what is wrong with the key, the address and the scopes',
  })),
  other_imports: error(({ check: { project } }) => ({
    text: othersText(project),
    remedy: OTHERS_REMEDY,
  })),
  accepted_imports: warning(({ check: { project } }) => ({
    text: othersText(project),
  })),
  over_quota: error(({ check: { project } }) => ({
    text: project.project?.quota ? overText(project.project.quota) : '',
    remedy: OVER_QUOTA,
  })),
  quota_short: warning(({ count, check: { project } }) => ({
    text: project.project?.quota ? shortText(project.project.quota, count) : '',
    remedy: 'raise the limit on the billing page before you import, or import in parts, one a period',
  })),
  sent_otherwise: error(({ count, some }) => ({
    text: `up to ${plural(count, 'event')} that this import has sent ${count === 1 ? 'is' : 'are'} not in the dataset any more, under the same uuid, name, person and time: ${some}; those of now would stand beside them`,
    remedy:
      'take the change of the mapping back and transform again, or make the new events in another folder for another project',
  })),
  already_imported: note(({ count }) => ({
    text: `${plural(count, 'event')} of this import ${count === 1 ? 'is' : 'are'} in the project already; what is sent again merges only where all agree: ${MERGE_RULE}`,
    remedy: 'posthaul verify says which are missing',
  })),
} satisfies Record<string, Wording>

function othersText({ project }: ProjectAsked): string {
  return project ? othersLines(project).join('; ') : ''
}

/** `"Acme" (12)` */
export function projectName(project: { readonly name: string; readonly id: string } | undefined): string {
  return project ? `"${visible(project.name)}" (${visible(project.id)})` : ''
}
