import { breaking } from '../mutation.ts'

/** What nobody may read, and what nobody may be told. */
export const TOLD = breaking({
  'nothing is told of who is forgotten': [
    {
      name: 'a merge of someone who is forgotten is sent',
      file: 'src/transform/forget/id-set.ts',
      find: ' || links.some(({ from, firm }) => firm && this.isForgotten(from))',
      replace: ' || links.length < 0',
      test: {
        file: 'test/transform/forget/id-set.test.ts',
        name: 'one that makes them one with somebody else',
      },
    },
    {
      name: 'an id in escapes is no id of someone who is forgotten',
      file: 'src/transform/forget/id-set.ts',
      find: 'if (this.#isId(unescaped(text!))) return true',
      replace: 'if (this.#isId(text!)) return true',
      test: { file: 'test/transform/forget/id-set.test.ts', name: 'is known' },
    },
    {
      name: 'a list of people to forget may change while it is read',
      file: 'src/transform/forget/find-forgotten.ts',
      find: 'if (found.sha256 === sha256) return ids',
      replace: "if (found.sha256 !== '') return ids",
      test: {
        file: 'test/transform/forget/forget-list.test.ts',
        name: 'a list that was changed since the run began',
      },
    },
    {
      name: 'an id that must be forgotten may be nobody’s',
      file: 'src/commands/transform/sample-result.ts',
      find: 'if (!isPart) throw error',
      replace: 'if (isPart) throw error',
      test: {
        file: 'test/e2e/private.test.ts',
        name: 'where all of a list must be found',
        built: true,
      },
    },
  ],
  'secrets stay secret': [
    {
      name: 'a link between hashed ids is told in clear',
      file: 'src/mapping/mapper.ts',
      find: 'const link = sentLink(this.#private, this.#link(id))\n    this.#noteClock',
      replace: 'const link = this.#link(id)\n    this.#noteClock',
      test: { file: 'test/mapping/private-values.test.ts', name: 'unless the ids are hashed' },
    },
    {
      name: 'a line shows the address of a webhook',
      file: 'src/telemetry/webhook.ts',
      find: 'const secrets = parts.map((part) =>',
      replace: 'const secrets = parts.slice(9).map((part) =>',
      test: { file: 'test/telemetry/webhook.test.ts', name: 'no line has its address' },
    },
    {
      name: 'a key goes wherever the next page is said to be',
      file: 'src/service/next-page.ts',
      find: 'if (url.origin !== origin) {',
      replace: "if (url.origin === '') {",
      test: { file: 'test/service/next-page.test.ts', name: 'is elsewhere' },
    },
    {
      name: 'any page may use the studio',
      file: 'src/studio/server/studio-app.ts',
      find: "if (!isOwnSite || header('origin') !==",
      replace: "if (!isOwnSite && header('origin') !==",
      test: { file: 'test/studio/server/open-studio.test.ts', name: 'another page' },
    },
    {
      name: 'a command line that is kept has the address of a webhook',
      file: 'src/text/command-line.ts',
      find: "word.split('=')[0] !== WEBHOOK && argv",
      replace: 'argv',
      test: { file: 'test/text/command-line.test.ts', name: 'has no address that is told of a run' },
    },
  ],
  'what is said is true': [
    {
      name: 'rejects count as told before anybody is told',
      file: 'src/commands/run/whole-run.ts',
      find: 'io.telemetry.afterwards(() => migration.tell(end))',
      replace: 'await migration.tell(end)',
      test: { file: 'test/e2e/run.test.ts', name: 'rejects of a run that was killed', built: true },
    },
    {
      name: 'a full disk is a failing test of a mapping',
      file: 'src/mapping-tests/run-test.ts',
      find: " || error.code === 'unavailable'",
      test: { file: 'test/faults/full-disk.test.ts', name: 'a temporary folder that is full', built: true },
    },
    {
      name: 'what has no id of an import is taken back with all of its days',
      file: 'src/commands/undo/extent.ts',
      find: '  if (ids.every((of): of is readonly string[] => of !== null))\n    return { import_ids: [...new Set(ids.flat())].sort(), first, last }',
      replace:
        '  if (ids.length > 0)\n    return { import_ids: [...new Set(ids.flatMap((of) => of ?? []))].sort(), first, last }',
      test: { file: 'test/commands/undo/extent.test.ts', name: 'the events of others would go too' },
    },
    {
      name: 'an import that its time ended is finished',
      file: 'src/commands/import/import-of.ts',
      find: 'finished: error === undefined && !stoppedInTime',
      replace: 'finished: error === undefined && stoppedInTime !== undefined',
      test: { file: 'test/library/import-events.test.ts', name: 'that its time ended before its input' },
    },
    {
      name: 'rejects are numbered on from one input to the next',
      file: 'src/transform/seal/finish.ts',
      find: '    if (input !== last) before = 0\n',
      test: {
        file: 'test/transform/seal/finish.test.ts',
        name: 'each input begins at its first line',
      },
    },
    {
      name: 'the command line that goes on sends all once more',
      file: 'src/text/command-line.ts',
      find: "'--restart', '--new-migration'",
      replace: "'--new-migration'",
      test: { file: 'test/text/command-line.test.ts', name: 'does nothing over that is done once' },
    },
    {
      name: 'an import of a run that stopped in time is done',
      file: 'src/commands/run/migration-run.ts',
      find: "if (code === EXIT.done) return stage !== 'import' || summary?.finished === true",
      replace: 'if (code === EXIT.done) return true',
      test: {
        file: 'test/commands/run/migration-run.test.ts',
        name: 'an import that stopped in time is not done',
      },
    },
    {
      name: 'an answer for another project vouches for a key',
      file: 'src/service/key-owner.ts',
      find: 'if (String(owner.id) === id) return owner',
      replace: 'return owner',
      test: { file: 'test/service/key-owner.test.ts', name: 'vouches for no key' },
    },
    {
      name: 'a project that may not be read is taken for a deleted one',
      file: 'src/service/key-owner.ts',
      find: 'error instanceof ServiceError && error.status === 404',
      replace: 'error instanceof ServiceError',
      test: { file: 'test/service/personal-key.test.ts', name: 'one that is refused may have' },
    },
    {
      name: 'doctor takes a scope that the key lacks for one that it has',
      file: 'src/checks/preflight/project.ts',
      find: 'filter(({ scope }) => !hasScope(told, scope))',
      replace: 'filter(({ scope }) => told.scopes.length === 0 && scope)',
      test: { file: 'test/checks/preflight/target.test.ts', name: 'a scope that is missing is named' },
    },
    {
      name: 'two project keys that begin alike are one',
      file: 'src/service/key-owner.ts',
      find: 'api_token === projectKey.reveal()',
      replace: 'api_token?.slice(0, 12) === projectKey.reveal().slice(0, 12)',
      test: { file: 'test/service/key-owner.test.ts', name: 'two keys that begin alike' },
    },
    {
      name: 'a scope is asked for that the key has',
      file: 'src/service/errors.ts',
      find: 'if (!key || !hasScope(key, scope)) return',
      replace: 'if (!key || key.scopes.length > 0) return',
      test: { file: 'test/service/personal-key.test.ts', name: 'has, by writing' },
    },
    {
      name: 'a project secret key is sent with events',
      file: 'src/options/service-settings.ts',
      find: "kindOf(key, ['phx_', 'phs_'])",
      replace: "kindOf(key, ['phx_'])",
      test: { file: 'test/options/service-settings.test.ts', name: 'where the project key belongs' },
    },
    {
      name: 'a person with one value of several is as it was put right',
      file: 'src/imports/verify-people.ts',
      find: 'if (person && values.every(([name, value])',
      replace: 'if (person && values.some(([name, value])',
      test: { file: 'test/imports/verify-people.test.ts', name: 'is so with all of its values' },
    },
    {
      name: 'the groups of duplicates are counted',
      file: 'src/transform/seal/day.ts',
      find: 'if (!bytes.includes(GROUP)) return',
      replace: 'if (bytes.length > 0) return',
      test: {
        file: 'test/e2e/repeated-ids.test.ts',
        name: 'the groups in a manifest are those of what is written',
        built: true,
      },
    },
    {
      name: 'a rule that a record matches is called idle',
      file: 'src/mapping/idle-rules.ts',
      find: '    for (const [rule, paths] of this.#paths) {',
      replace: '    for (const [rule, paths] of [...this.#paths].slice(0, -1)) {',
      test: { file: 'test/mapping/idle-rules.test.ts', name: 'a path must lead to a value' },
    },
  ],
  'no value is bent in silence': [
    {
      name: 'a reject that is no UTF-8 loses its bytes',
      file: 'src/record/reject.ts',
      find: 'return Buffer.from(record).equals(line) ? { record } : {',
      replace: 'return record ? { record } : {',
      test: { file: 'test/record/reject.test.ts', name: 'keeps its bytes' },
    },
  ],
  conservation: [
    {
      name: 'a line of an export whose time can not be read is lost',
      file: 'src/sources/posthog/download-file.ts',
      find: 'if (!this.#scanner.scan(bytes, start, end)) return true',
      replace: 'if (!this.#scanner.scan(bytes, start, end)) return false',
      test: {
        file: 'test/sources/posthog/download-file.test.ts',
        name: 'a line whose time can not be read is taken',
      },
    },
  ],
  caps: [
    {
      name: 'a failed export waits an hour for its turn',
      file: 'src/http/rate-limiter.ts',
      find: 'if (hastened.aborted && wait.ms > MS_PER_MINUTE) throw hastened.reason',
      test: { file: 'test/http/rate-limiter.test.ts', name: 'once it is hastened' },
    },
    {
      name: 'the service is asked again before the time that it names',
      file: 'src/http/retry.ts',
      find: 'now + Math.max(askedMs, jitter)',
      replace: 'now + jitter',
      test: { file: 'test/http/retry.test.ts', name: 'waits as long as the server asks' },
    },
    {
      name: 'a restart begins a new quota of requests',
      file: 'src/http/rate-limiter.ts',
      find: 'this.#asked = (options.asked ?? []).filter((at) => at <= now)',
      replace: 'this.#asked = (options.asked ?? []).filter((at) => at > now + 1e15)',
      test: { file: 'test/http/rate-limiter.test.ts', name: 'sees more than the quota' },
    },
  ],
})
