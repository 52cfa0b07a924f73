import type { PersonService } from '../checks/persons/live.ts'
import type { Api } from '../service/api.ts'
import { personsOf } from '../service/arrived-people.ts'
import {
  allDistinctIds,
  countDistinctIds,
  firstEvent,
  personSpans,
  storedPersons,
} from '../service/live-persons.ts'

/** For what does not fit into memory: persons' ids and properties, so it must not outlive the run. */
export const PERSONS_FOLDER = 'posthaul-persons-'

/** The persons of a project, as the rules on persons ask for them. */
export function personService(api: Api, projectId: string): PersonService {
  return {
    countDistinctIds: () => countDistinctIds(api, projectId),
    allDistinctIds: () => allDistinctIds(api, projectId),
    personsOf: (ids) => personsOf(api, projectId, ids),
    firstEvent: () => firstEvent(api, projectId),
    properties: (persons) => storedPersons(api, projectId, persons),
    spans: (persons) => personSpans(api, projectId, persons),
  }
}
