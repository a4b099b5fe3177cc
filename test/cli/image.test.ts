/** The Dockerfile of a new application, followed instruction by instruction in folders instead of images: there is no container engine here. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { install, packed } from './install.ts'
import { bare, build, PROGRAM } from './server.ts'
import { type Folder, folder } from './world.ts'

const image = suite('the image of a new application')

/** Whom `USER node` stands for, where a test may become somebody else. */
const NOBODY = 65_534

let world: Folder
let app: string
let child: ChildProcess | undefined
let umask: number | undefined

interface Instruction {
  readonly word: string
  readonly rest: string
}

function instructions(): readonly Instruction[] {
  const text = readFileSync(join(app, 'Dockerfile'), 'utf8').replaceAll(/^#.*\n/gm, '')
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  return lines.flatMap((line) => {
    const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    assert.ok(line === '' || word !== undefined, line)
    return word === undefined ? [] : [{ word, rest: rest ?? '' }]
  })
}

/** What `.dockerignore` keeps out of the context; each of its lines is a name, `*.x` at the top, or `**` before one. */
function isIgnored(path: string): boolean {
  const lines = readFileSync(join(app, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  return lines.some((line) => {
    const isAnywhere = line.startsWith('**/')
    const name = line.replace('**/', '').replaceAll('.', '\\.').replaceAll('*', '[^/]*')
    return new RegExp(`^${isAnywhere ? '(.*/)?' : ''}${name}(/|$)`).test(path)
  })
}

/** `COPY a b to`: of the context without what is ignored, or of an earlier stage. */
function copy(rest: string, stages: ReadonlyMap<string, string>, here: string): void {
  const words = rest.split(' ')
  const [, stage] = /^--from=(.+)$/.exec(words[0] ?? '') ?? []
  const [target = '', ...sources] = words.slice(stage === undefined ? 0 : 1).reverse()
  for (const source of sources) {
    const from = stage === undefined ? join(app, source) : stages.get(stage)
    assert.ok(from !== undefined && existsSync(from), `COPY ${rest}: ${source} is there`)
    const isFolder = target.endsWith('/') || target === '.'
    const to = isFolder && statSync(from).isFile() ? join(here, target, source) : join(here, target)
    mkdirSync(dirname(to), { recursive: true })
    const filter = (path: string): boolean => stage !== undefined || !isIgnored(relative(app, path))
    cpSync(from, to, { recursive: true, filter, verbatimSymlinks: true })
  }
}

/** What `npm ci` lays out, without a registry, which a test does not ask. */
function runIn(here: string, line: string): void {
  if (line === 'npm ci --omit=dev') {
    const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
    assert.equal(Object.keys(dependencies), ['plinth'])
    install(here, join(here, dependencies.plinth.replace('file:', '')))
    return
  }
  // A machine without the image of Node has no user of its name.
  const script = `chown() { [ "$1" = node:node ] && ${process.getuid?.() === 0 ? `command chown ${NOBODY}:${NOBODY} "$2"` : 'true'}; }\n${line}`
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', script], { cwd: here, env: bare({}), encoding: 'utf8' })
  assert.is(status, 0, `RUN ${line}\n${stdout}${stderr}`)
}

image.before(() => {
  // That of an image; an application that ran in this process keeps what it writes to itself.
  umask = process.umask(0o022)
  build()
  world = folder({})
  chmodSync(world.path, 0o755)
  const args = [PROGRAM, 'init', 'shop', '--plinth', packed(world.path)]
  const made = spawnSync(process.execPath, args, { cwd: world.path, env: bare({}), encoding: 'utf8' })
  assert.is(made.status, 0, made.stderr)
  app = join(world.path, 'shop')
  // The first `npm install` writes it, and the README has it committed.
  world.write('shop/package-lock.json', '{ "name": "shop", "lockfileVersion": 3, "packages": {} }\n')
  world.write('shop/.env', 'APP_SECRET=not-for-the-image\n')
  world.write('shop/data/secret', 'not-for-the-image\n')
})
image.after(() => {
  if (umask !== undefined) process.umask(umask)
  if (child?.exitCode === null) child.kill('SIGKILL')
  if (world === undefined) return
  execFileSync('chmod', ['-R', 'u+w', world.path])
  world.remove()
})

/** A port on which nobody listens. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

interface Built {
  readonly here: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly probe: readonly string[]
  readonly command: readonly string[]
}

/** Follows all instructions; gives the last stage. */
function built(): Built {
  const stages = new Map<string, string>()
  let made: Built = { here: '', env: {}, user: 'root', probe: [], command: [] }
  for (const { word, rest } of instructions()) {
    const { here, env } = made
    if (word === 'FROM') {
      const [, , name = `stage ${stages.size}`] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []
      const path = join(world.path, name)
      stages.set(name, path)
      made = { here: path, env: {}, user: 'root', probe: [], command: [] }
    } else if (word === 'WORKDIR') mkdirSync(here, { recursive: true })
    else if (word === 'COPY') copy(rest, stages, here)
    else if (word === 'RUN') runIn(here, rest)
    else if (word === 'ENV') made = { ...made, env: { ...env, [rest.split('=')[0]!]: rest.split('=')[1]! } }
    else if (word === 'USER') made = { ...made, user: rest }
    else if (word === 'HEALTHCHECK') made = { ...made, probe: JSON.parse(/ CMD (\[.*\])$/.exec(rest)?.[1] ?? '[]') }
    else if (word === 'CMD') made = { ...made, command: JSON.parse(rest) }
    else if (word === 'VOLUME') assert.ok(existsSync(join(here, relative('/app', rest))), `VOLUME ${rest} is there`)
    else assert.is(word, 'EXPOSE')
  }
  return made
}

image('its instructions make an application that is served, by a user who may write its data alone', async () => {
  const { here, env, user, probe, command } = built()
  assert.is(user, 'node')
  assert.is(env.NODE_ENV, 'production')
  assert.ok(existsSync(join(here, command[0] ?? '')), 'the command is there')
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('node_modules'),
  )
  assert.equal(
    files.filter((name) => /\.env$|^data\/|\.test\.|\.md$|Dockerfile/.test(name)),
    [],
  )
  const port = await freePort()
  const isHealthy = (): boolean => {
    const [program, ...args] = probe
    assert.is(program, 'node')
    return spawnSync(process.execPath, args, { cwd: here, env: bare({ ...env, PORT: port }) }).status === 0
  }
  assert.not.ok(isHealthy(), 'nothing answers yet')
  execFileSync('chmod', [
    '-R',
    'a-w',
    ...readdirSync(here).flatMap((name) => (name === 'data' ? [] : [join(here, name)])),
  ])
  const who = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  child = spawn(join(here, command[0]!), command.slice(1), {
    ...who,
    cwd: here,
    env: bare({ ...env, PORT: port, HOME: '/nowhere' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (part) => (output += String(part)))
  await until(() => child!.exitCode !== null || isHealthy(), 60_000)
  assert.is(child.exitCode, null, output)
  const asked = await fetch(`http://127.0.0.1:${port}/openapi.json`)
  const { paths } = (await asked.json()) as { paths: Readonly<Record<string, unknown>> }
  assert.ok(paths['/api/v1/bookings'] !== undefined, Object.keys(paths).join('\n'))
  assert.is((await fetch(`http://127.0.0.1:${port}/api/v1/bookings`)).status, 401)
  assert.not.match(output, /warn.*compile|EACCES|EROFS/i)
  assert.ok(readdirSync(join(here, 'data')).length > 0, 'what it keeps is in the volume')
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0, output)
})

image.run()
