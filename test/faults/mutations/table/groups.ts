import { breaking } from '../mutation.ts'

const GUARD = 'test/commands/import/import-groups.test.ts'

/** That events will show their groups, and what an import does itself for it. */
export const GROUPS = breaking({
  'groups are seen': [
    {
      name: 'hidden groups are taken',
      code: 'hidden_groups',
      file: 'src/guards/groups.ts',
      find: '      younger.length > 0 &&',
      replace: '      younger.length > 99 &&',
      test: { file: GUARD, name: 'a type that is younger than the events' },
    },
    {
      name: 'six types stand against nothing',
      code: 'group_types',
      file: 'src/guards/groups.ts',
      find: '      isMany &&\n        found(',
      replace: '      isMany && !isMany &&\n        found(',
      test: { file: GUARD, name: 'six types with those of the project are refused' },
    },
    {
      name: 'a sixth type is taken',
      file: 'src/checks/groups-seen.ts',
      find: 'all.length > MAX_GROUP_TYPES',
      replace: 'all.length > 2 * MAX_GROUP_TYPES',
      test: { file: GUARD, name: 'six types with those of the project are refused' },
    },
    {
      name: 'a type that came out too young is taken',
      file: 'src/commands/import/import-groups.ts',
      find: '    if (listed) guards.look({ groups: { named: [...made.keys()], fit: listed } })\n',
      test: { file: GUARD, name: 'on a server that dates a type by its arrival nothing more is sent' },
    },
    {
      name: 'events go before the new types are listed',
      file: 'src/commands/import/import-groups.ts',
      find: 'fit.missing.length === 0 ||',
      replace: 'fit.missing.length >= 0 ||',
      test: { file: 'test/faults/group-types.test.ts', name: 'nothing else was sent', built: true },
    },
    {
      name: 'an own event is sent before the checkpoint counts it',
      file: 'src/delivery/own-events.ts',
      find: '    await this.#options.save()\n    return this.#deliver(lines, halt)\n',
      replace: '    return this.#deliver(lines, halt)\n',
      test: { file: 'test/delivery/own-events.test.ts', name: 'are safe before they are sent' },
    },
    {
      name: 'own events are not expected',
      file: 'src/imports/verify-inputs.ts',
      find: '  return found && ownInput(found.kept, found.saved, interrupted)\n',
      replace: '  return undefined\n',
      test: { file: GUARD, name: 'a type that is missing is made first' },
    },
  ],
})
