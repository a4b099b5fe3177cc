/** The desk's YAML of earlier versions: `plinth upgrade` makes it one of this version, which answers what was answered before. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plinth } from '../cli/world.ts'
import { CHANGED } from './changed.ts'
import { alike, type Difference, differences } from './difference.ts'
import { type Opened, open, versions, yamlOf } from './opened.ts'
import { ask } from './questions.ts'

const SEARCHED = 'conversations.said=1'

/** What a person has to choose in the files of a version. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  '7aad99f': [SEARCHED, 'tickets.dashboards/missing=1'],
  '04ea4ea': [SEARCHED, 'tickets.dashboards/missing=1'],
  '1fb0fbd': [SEARCHED],
  cb18d12: [SEARCHED],
  b09bc9d: [SEARCHED],
  '0.2.0': [SEARCHED],
}

/**
 * Versions whose files are changed in more than one word: they are tried before, and their answers are compared too, which
 * takes a start and 500 requests.
 */
const CHANGED_MOST: ReadonlySet<string> = new Set(['7aad99f', '04ea4ea'])

/** The comments of files, in their order. */
async function commentsIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => text.match(/^ *# .*$/gm) ?? [])
}

for (const version of await versions()) {
  const test = suite(`files of ${version}`)
  const choices = CHOICES[version] ?? []
  let folder = ''
  let before: readonly string[] = []
  let desk: Opened | undefined

  const upgrade = (...more: readonly string[]) =>
    plinth(['upgrade', ...more], { RESOURCES_DIR: folder, DATA_DIR: join(folder, 'none') })

  test.before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plinth-yaml-'))
    await yamlOf(version, folder)
    before = await commentsIn(folder)
  })
  test.after(async () => {
    await desk?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('what has to be decided is asked at its line, and nothing is changed before', async () => {
    const { code, complained } = await upgrade()
    assert.is(code, choices.length > 0 ? 1 : 0, complained)
    for (const choice of choices) {
      const name = choice.slice(0, -2)
      assert.match(complained, new RegExp(`\\.yaml:\\d+:\\d+ ${name}: .+ \\(since 0\\.\\d\\.0\\)\n {5}1 {2}`))
    }
    assert.ok(choices.length <= 3)
  })

  test('the files pass the check then, their comments are kept, and doing it again changes nothing', async () => {
    const arguments_ = choices.length > 0 ? ['--choose', choices.join(',')] : []
    if (CHANGED_MOST.has(version)) {
      const tried = await upgrade(...arguments_, '--dry-run')
      assert.match(tried.said, 'Nothing was written: this was a dry run.')
      assert.equal(await commentsIn(folder), before)
    }
    const { code, complained } = await upgrade(...arguments_)
    assert.is(code, 0, complained)
    const checked = await plinth(['check'], { RESOURCES_DIR: folder, DATA_DIR: join(folder, 'none') })
    assert.is(checked.code, 0, checked.complained)
    assert.equal(await commentsIn(folder), before)
    assert.match((await upgrade()).said, 'No word of an earlier version is in these files.')
  })

  const answered = async () => {
    const app = join(folder, 'app.yaml')
    const text = await readFile(app, 'utf8')
    // The set was made with sign-ins that last.
    await writeFile(app, text.replace(/token_days: 30 /, 'token_days: 3650 '))
    desk = await open(version, { resources: folder })
    const after = await ask(desk.address, desk.sown)
    const asked = Object.entries(desk.answers)
    assert.ok(asked.length > 300)
    const found = asked.flatMap(([request, answer]): readonly Difference[] => {
      const isThere = (answer.body as { message?: string }).message !== 'Route not found'
      return isThere ? [...differences(answer, after[request], request)] : []
    })
    const unexpected = found.filter(({ at }) => !CHANGED.some(({ where }) => where.test(at)))
    assert.is(alike(unexpected).join('\n'), '', `${unexpected.length} differences`)
  }
  if (CHANGED_MOST.has(version)) test('every answer is what it was', answered)

  test.run()
}
