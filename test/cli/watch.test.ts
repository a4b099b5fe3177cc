/** `plinth start --watch` serves what was saved last, whenever that was: also while it starts. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { suite } from 'uvu'
import { until } from '../support/wait.ts'
import { bare, build, PROGRAM, startServer } from './server.ts'
import { type Folder, folder, NOTES } from './world.ts'

const watching = suite('plinth start --watch')

watching.before(build)

const FILES = {
  ...NOTES,
  'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { timestamps: {}, mine: {} }\n',
  'package.json': '{ "type": "module" }',
}
const SAVED = {
  yaml: (n: number) =>
    [
      'resources/notes.yaml',
      NOTES['resources/notes.yaml'].replace('label: Note', `label: Note\ndescription: Says ${n}.`),
    ] as const,
  code: (n: number) =>
    [
      'plugins/mine/index.js',
      `const handle = () => ({ status: 200, data: ${n} })
export default { name: 'mine', description: 'Says.', routes: [{ method: 'GET', path: '/says', summary: 'Says', access: [{ kind: 'anyone' }], handle }] }
`,
    ] as const,
}
type Kind = keyof typeof SAVED

/** As editors save: nobody reads half a file. */
function save({ path, write }: Folder, [name, text]: readonly [string, string]): void {
  write(`${name}.saved`, text)
  renameSync(join(path, `${name}.saved`), join(path, name))
}

/** What is served of each kind. */
async function served(url: string): Promise<Readonly<Record<Kind, number>>> {
  const { data: code } = (await (await fetch(`${url}/api/says`)).json()) as { data: number }
  const document = await (await fetch(`${url}/openapi.json`)).text()
  return { yaml: Number(/Says (\d+)\./.exec(document)?.[1]), code }
}

watching('what is saved at any moment of the start is served in the end', async () => {
  const place = folder(FILES)
  for (const kind of ['yaml', 'code'] as const) save(place, SAVED[kind](0))
  const env = bare({ DATA_DIR: `${place.path}/data` })
  const start = () => startServer(PROGRAM, place.path, env, ['--watch'])
  const began = performance.now()
  await (await start()).stop('SIGTERM')
  const takes = performance.now() - began
  const moment = fc.record({
    at: fc.double({ min: 0.1, max: 1, noNaN: true }),
    kind: fc.constantFrom<Kind>('yaml', 'code'),
  })
  const saves = fc.array(moment, { minLength: 3, maxLength: 6 })
  let n = 0
  await fc.assert(
    fc.asyncProperty(saves, async (drawn) => {
      const last = { yaml: 0, code: 0 }
      for (const kind of ['yaml', 'code'] as const) {
        last[kind] = ++n
        save(place, SAVED[kind](n))
      }
      const begun = start()
      const saving = [...drawn]
        .sort((a, b) => a.at - b.at)
        .map(async ({ at, kind }) => {
          await sleep(at * takes)
          last[kind] = ++n
          save(place, SAVED[kind](n))
        })
      const server = await begun
      await Promise.all(saving)
      await until(async () => JSON.stringify(await served(server.url)) === JSON.stringify(last), 15_000)
      await server.stop('SIGTERM')
    }),
    { numRuns: 3, endOnFailure: true },
  )
  place.remove()
})

watching.run()
