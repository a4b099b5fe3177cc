/** What layers cost: `npm run bench:layers` starts an application that extends the desk, and the same one flattened. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bare, PROGRAM, startServer } from '../cli/server.ts'
import { run } from '../support/earlier-program.ts'
import { processorTimes, secondsBetween } from './processor.ts'
import { ADMIN_ENV, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines } from './table.ts'

const { values: options } = parseArgs({
  options: { database: DATABASE_OPTION, starts: { type: 'string', default: '15' } },
})

interface Start {
  /** Seconds by the clock until it listens, and of processor time. */
  readonly clock: number
  readonly node: number
}

async function started(env: NodeJS.ProcessEnv): Promise<Start> {
  const began = performance.now()
  const server = await startServer(PROGRAM, process.cwd(), env)
  const clock = (performance.now() - began) / 1_000
  const node = secondsBetween(new Map(), processorTimes([server.child.pid!]))
  await server.stop('SIGTERM')
  return { clock, node }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

const folder = mkdtempSync(join(tmpdir(), 'plinth-layers-'))
try {
  const layered = join(folder, 'layered')
  const flat = join(folder, 'flat')
  cpSync('test/boot/acme/resources', layered, { recursive: true })
  const plugins = { PLUGINS_DIR: resolve('test/boot/acme/plugins') }
  Object.assign(process.env, { RESOURCES_DIR: layered, ...plugins })
  run(process.execPath, [PROGRAM, 'flatten', '--out', flat])
  await onScratchDatabase(options.database, async (DATABASE_URL) => {
    const common = { ...ADMIN_ENV, ...plugins, DATABASE_URL, DATA_DIR: join(folder, 'data'), NODE_ENV: 'production' }
    const kinds = [layered, flat].map((RESOURCES_DIR) =>
      bare({ ...common, APP_SECRET: 'a secret of the benchmark and of nothing else', RESOURCES_DIR }),
    )
    const starts: readonly Start[][] = [[], []]
    for (const env of kinds) await started(env)
    // In turn, so that what else the machine does meets both.
    for (let i = 0; i < Number(options.starts); i += 1)
      for (const [at, env] of kinds.entries()) starts[at]!.push(await started(env))
    const clocks = starts.map((of) => median(of.map(({ clock }) => clock)))
    const nodes = starts.map((of) => median(of.map(({ node }) => node)))
    const row = (name: string, at: number) => [name, `${clocks[at]!.toFixed(2)} s`, `${nodes[at]!.toFixed(2)} s`]
    const share = (of: readonly number[]): string => (of[0]! / of[1]!).toFixed(3)
    const table = [row('layered', 0), row('flat', 1), ['layered / flat (at most 1.05)', share(clocks), share(nodes)]]
    console.log(lines([['start on finished tables', 'clock', 'Node CPU'], ...table]))
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
