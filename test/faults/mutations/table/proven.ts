import { breaking } from '../mutation.ts'

const ARRIVED = 'test/service/arrived.slow.test.ts'

/** What comes out as it went in, and how it is proven. */
export const PROVEN = breaking({
  'arrival proven': [
    {
      name: 'sets of the same count are the same',
      file: 'src/record/fingerprint.ts',
      find: 'if (this.count !== other.count || !isSame(1))',
      replace: 'if (this.count !== other.count)',
      test: { file: 'test/record/fingerprint.test.ts', name: 'one in the place of another' },
    },
    {
      name: 'a day is split into other thirds the second time',
      file: 'src/service/event-filter.ts',
      find: 'part: part + third * of',
      replace: 'part: part + third',
      test: { file: 'test/service/event-filter.test.ts', name: 'thirds of thirds have each event once' },
    },
    {
      name: 'a cause explains what is missing of other events',
      file: 'src/checks/verification.ts',
      find: 'missing(({ event }) => event === APART_EVENT)',
      replace: 'all',
      test: { file: 'test/checks/verification.test.ts', name: 'calls of flags lack, among others' },
    },
    {
      name: 'the page is not told why events are missing',
      file: 'src/imports/verified.ts',
      find: '  likely_causes: result',
      replace: '  no_causes: result',
      test: {
        file: 'test/html/report.test.ts',
        name: 'why events may be missing is kept from a verify',
      },
    },
    {
      name: 'copies of an event count twice',
      file: 'src/service/arrived.ts',
      find: 'GROUP BY day, event, distinct_id, uuid$',
      replace: 'GROUP BY day, event, distinct_id, uuid, created_at$',
      test: { file: ARRIVED, name: 'all of them' },
    },
    {
      name: 'one uuid of two persons is one event',
      file: 'src/service/arrived.ts',
      find: 'GROUP BY day, event, distinct_id, uuid',
      replace: 'GROUP BY day, event, uuid',
      test: { file: ARRIVED, name: 'all of them' },
    },
    {
      name: 'an event under two times counts once',
      file: 'src/service/arrived.ts',
      find: 'uniqExact(timestamp) AS times',
      replace: 'uniqExact(uuid) AS times',
      test: { file: ARRIVED, name: 'an event under two times is one that the service counts twice' },
    },
    {
      name: 'a copy that another tool sent is not looked for',
      file: 'src/service/arrived.ts',
      find: 'sqlWhere({ ...filter, importIds: null })',
      replace: 'sqlWhere(filter)',
      test: { file: ARRIVED, name: 'a copy that another import or a live client sent' },
    },
    {
      name: "other imports' events count as own",
      file: 'src/service/arrived.ts',
      find: 'const own = importIds ? ',
      replace: 'const own = importIds === undefined ? ',
      test: { file: ARRIVED, name: 'those of an importer' },
    },
    {
      name: 'events under two times verify as equal',
      file: 'src/checks/verification.ts',
      find: 'return cells.length + doubled.length === 0',
      replace: 'return cells.length + 0 * doubled.length === 0',
      test: { file: 'test/checks/verification.test.ts', name: 'events that are there under two times' },
    },
    {
      name: "days in the project's time zone",
      file: 'src/service/event-filter.ts',
      find: `"toString(toDate(toTimeZone(timestamp, 'UTC')))"`,
      replace: "'toString(toDate(timestamp))'",
      test: { file: ARRIVED, name: 'all of them' },
    },
    {
      name: "edges of days in the project's time zone",
      file: 'src/service/event-filter.ts',
      find: "6, 'UTC')`",
      replace: '6)`',
      test: { file: ARRIVED, name: 'all of them' },
    },
    {
      name: 'half of a uuid is compared',
      file: 'src/service/event-filter.ts',
      find: '[half(1), half(17)]',
      replace: '[half(1), half(1)]',
      test: { file: ARRIVED, name: 'all of them' },
    },
    {
      name: 'an id anywhere in a text of properties makes an event the own',
      file: 'src/service/event-filter.ts',
      find: `[$]import_job_id[\\\\]*" *: *[\\\\]*"(?:`,
      replace: '(?:',
      test: {
        file: 'test/e2e/readable.test.ts',
        name: 'events whose properties became one text are there',
        built: true,
      },
    },
    {
      name: 'counts are compared, not events',
      file: 'src/checks/compare.ts',
      find: 'const likeness = here.likeness(there)',
      replace: "const likeness = here.count === there.count ? 'same' : here.likeness(there)",
      test: { file: 'test/checks/compare.test.ts', name: 'as many events, but not the same: a difference' },
    },
    {
      name: 'an event under another person is there',
      file: 'src/record/fingerprint.ts',
      find: '    addNumber(person.words[person.at]!, person.words[person.at + 1]!)\n',
      test: { file: 'test/record/fingerprint.test.ts', name: 'another person' },
    },
    {
      name: 'an event at another time of its day is there',
      file: 'src/checks/compare.ts',
      find: "else if (likeness !== 'same')",
      replace: "else if (likeness === 'different')",
      test: { file: 'test/checks/arrival-audit.test.ts', name: 'at another time of its day' },
    },
    {
      name: 'sums without carry',
      file: 'src/record/fingerprint.ts',
      find: '+= high + (total >= TWO_TO_32 ? 1 : 0)',
      replace: '+= high',
      test: { file: 'test/record/fingerprint.test.ts', name: 'is what a real ClickHouse computes' },
    },
    {
      name: 'a quote in a name ends the text',
      file: 'src/service/query.ts',
      find: `.replaceAll("'", "\\\\'")`,
      test: { file: ARRIVED, name: 'in pages' },
    },
    {
      name: 'a wrong key is taken',
      code: 'key_mismatch',
      file: 'src/guards/key.ts',
      find: 'wrongKey !== undefined',
      replace: "wrongKey === ''",
      test: { file: 'test/guards/guards.test.ts', name: 'the table has every code of every guard' },
    },
    {
      name: 'a guard that fails is passed',
      file: 'src/guards/guards.ts',
      find: '      this.look({ unasked: [{ what, error }] })\n',
      test: { file: 'test/e2e/import.test.ts', name: 'personal key may not read projects' },
    },
  ],
  'members accounted for': [
    {
      name: 'of a forgotten visitor a link is told',
      file: 'src/mapping/mapper.ts',
      find: 'this.#options.people?.isForgotten(link.anonymous.text) ? undefined : link',
      replace: 'this.#options.people?.isForgotten(link.anonymous.text) ? link : link',
      test: {
        file: 'test/mapping/mapper.test.ts',
        name: 'of a visitor who is to be forgotten no link is told',
      },
    },
    {
      name: 'a member that lost its name is forgotten',
      file: 'src/mapping/member-counts.ts',
      find: 'for (let i = 0; i < record.met; i++) this.#counts',
      replace: 'for (let i = 1; i < record.met; i++) this.#counts',
      test: { file: 'test/promises/9-members.test.ts', name: 'has a fate, and each fate is true' },
    },
    {
      name: 'what a preset drops is not said',
      file: 'src/mapping/member-counts.ts',
      find: 'if (kind.emits.length === 0 && kind.leftOut !== null) {',
      replace: 'if (kind.emits.length < 0 && kind.leftOut !== null) {',
      test: { file: 'test/promises/9-members.test.ts', name: 'has a fate, and each fate is true' },
    },
    {
      name: 'members of rejects are counted',
      file: 'src/mapping/member-counts.ts',
      find: 'this.#met[this.#record.met++] = (place << MET_BITS) | how',
      replace: 'this.#counts[(place << MET_BITS) | how]!++',
      test: {
        file: 'test/promises/9-members.test.ts',
        name: 'is counted only where the record became an event',
      },
    },
    {
      name: 'the times of user properties are lost unsaid',
      file: 'src/presets/ga4.ts',
      find: 'if (times.length > 0) draft.property(TIMES',
      replace: 'if (times.length < 0) draft.property(TIMES',
      test: { file: 'test/presets/promises.test.ts', name: 'has every value in an event' },
    },
  ],
  'bytes survive': [
    {
      name: 'persons of a PostHog export are lost with $set',
      file: 'src/sources/posthog/person-column.ts',
      find: "poe.properties, '{}')",
      replace: "'{}', '{}')",
      test: {
        file: 'test/e2e/person-state.test.ts',
        name: 'an export says where the state of persons comes from, and that it is gone',
        built: true,
      },
    },
    {
      name: 'numbers go through a double',
      file: 'src/record/members.ts',
      find: '    if (this.has(key)) return false\n',
      replace:
        '    if (/^[-0-9]/.test(value.toString("latin1", start, end))) {\n' +
        '      value = Buffer.from(JSON.stringify(JSON.parse(value.toString("latin1", start, end))))\n' +
        '      ;[start, end, at] = [0, value.length, -1]\n' +
        '    }\n' +
        '    if (this.has(key)) return false\n',
      test: {
        file: 'test/promises/3-bytes-survive.test.ts',
        name: 'promise 3: values come through transform and import to the wire byte for byte',
        built: true,
      },
    },
    {
      name: 'escapes are decoded',
      file: 'src/record/mend.ts',
      find: '      writer.copy(bytes, i, i + 2)\n',
      replace: '      writer.copy(bytes, i + 1, i + 2)\n',
      test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
    },
    {
      name: 'a pair of surrogates is taken apart',
      file: 'src/record/mend.ts',
      find: 'if (low >= 0xdc00 && low <= 0xdfff) {',
      replace: 'if (low > 0xdfff) {',
      test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
    },
    {
      name: 'a number beyond doubles stays',
      file: 'src/record/mend.ts',
      find: '      if (huge || big) writer.byte(QUOTE)\n      writer.copy',
      replace: '      if (big) writer.byte(QUOTE)\n      writer.copy',
      test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
    },
    {
      name: 'the mends are not counted',
      file: 'src/record/mend.ts',
      find: 'mends.lone_surrogate++',
      test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
    },
  ],
  conservation: [
    {
      name: 'a window of an unknown archive counts as exported',
      file: 'src/sources/amplitude/events.ts',
      find: 'if (skipped.length === members) {',
      replace: 'if (skipped.length > members) {',
      test: {
        file: 'test/sources/amplitude.test.ts',
        name: 'a window of which no member could be read is not taken for exported',
      },
    },
    {
      name: 'two events of Statsig with ids of their own are one',
      file: 'src/presets/statsig.ts',
      find: 'if (own !== undefined) return own',
      replace: 'if (own === null) return own',
      test: { file: 'test/mapping/fixtures.test.ts', name: 'valid/' },
    },
  ],
  'no value is bent in silence': [
    {
      name: 'a number is taken from a cell that it does not give back',
      file: 'src/studio/profile/number-guess.ts',
      find: 'return json !== undefined && print(Number(json), rule) !== text',
      replace: 'return json === "" && print(Number(json), rule) !== text',
      test: { file: 'test/studio/profile/number-guess.test.ts', name: 'gives back the text of its cell' },
    },
    {
      name: 'any capitals are a currency',
      file: 'src/mapping/decimal.ts',
      find: "if (own !== '' && !isCurrency(own)) return undefined",
      test: { file: 'test/inputs/csv-reader.test.ts', name: 'codes and cells of another currency or sign' },
    },
    {
      name: 'among days as Excel counts them a number is seconds',
      file: 'src/record/time-format.ts',
      find: 'if (isExcel && isNumericTime(text.trim())) throw',
      replace: 'if (!isExcel && isNumericTime(text.trim())) throw',
      test: { file: 'test/mapping/mapper-mapping.test.ts', name: 'among days as Excel counts them' },
    },
  ],
  'what the project hides is never called missing': [
    {
      name: 'what a project hides is asked for, and missing',
      file: 'src/checks/verify-input.ts',
      find: 'if (day.day >= firstDay) yield day',
      replace: 'yield day',
      test: {
        file: 'test/checks/verify-input.test.ts',
        name: 'the days are left out that the project hides',
      },
    },
    {
      name: 'the first day that a project shows is counted as hidden',
      file: 'src/checks/verify-input.ts',
      find: '.filter(([day]) => day < firstDay)',
      replace: '.filter(([day]) => day <= firstDay)',
      test: { file: 'test/checks/verify-input.test.ts', name: 'is counted over all inputs, each day once' },
    },
    {
      name: 'hidden events alone are a proof',
      file: 'src/checks/verification.ts',
      find: '(apart === 0 && hidden === undefined)',
      replace: 'apart === 0',
      test: { file: 'test/checks/verification.test.ts', name: 'prove nothing' },
    },
  ],
})
