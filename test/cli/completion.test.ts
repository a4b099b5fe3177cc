/** Shells complete commands, options and words; and every command has an example in its help. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { COMMANDS } from '../../engine/cli/commands.ts'
import { type Folder, folder, NOTES, plinth, type Ran } from './world.ts'

const completion = suite('completion')
const DESK = { RESOURCES_DIR: 'resources', PLUGINS_DIR: 'plugins' }
let place: Folder

completion.before(() => {
  place = folder(NOTES)
})
completion.after(() => place?.remove())

function run(...args: string[]): Promise<Ran> {
  return plinth(args, DESK)
}

let script: Promise<Ran> | undefined

/** What bash offers for the last of these words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  script ??= run('completion', 'bash')
  const { said } = await script
  const given = words.map((word) => `'${word}'`).join(' ')
  const completed = `${said}\nCOMP_WORDS=(plinth ${given}); COMP_CWORD=${words.length}; _plinth; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', completed], {
    cwd: place.path,
    encoding: 'utf8',
  })
  assert.is(status, 0, stderr)
  return stdout.trim().split('\n')
}

completion('bash completes commands, those of plugins too', async () => {
  assert.equal(await offered('re'), ['restore-field'])
  assert.equal(await offered('us'), ['user'])
  assert.ok((await offered('')).includes('doctor'))
})

completion('bash completes the options of a command, its first words, and else files', async () => {
  assert.equal(await offered('plan', '--'), ['--all', '--json', '--exit-code', '--help'])
  assert.equal(await offered('user', 'pa'), ['password'])
  assert.equal(await offered('help', 'dum'), ['dump'])
  assert.equal(await offered('load', 'res'), ['resources'])
})

completion('zsh and fish get every command with its options', async () => {
  const [zsh, fish] = [(await run('completion', 'zsh')).said, (await run('completion', 'fish')).said]
  for (const { name, options = {} } of COMMANDS) {
    assert.match(zsh, `\n    '${name}:`)
    assert.match(fish, `-f -a ${name} -d '`)
    for (const option of Object.keys(options)) {
      assert.match(zsh, new RegExp(`\\n {4}${name}\\) options=\\([^)]*--${option}[ )]`))
      assert.match(fish, `'__fish_seen_subcommand_from ${name}' -l ${option}\n`)
    }
  }
  for (const [shell, script] of Object.entries({ zsh, fish })) {
    const { error, status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' })
    if (error === undefined) assert.is(status, 0, stderr)
  }
})

completion('a shell that is not known is refused', async () => {
  const { code, complained } = await run('completion', 'zhs')
  assert.is(code, 2)
  assert.is(complained, 'There is nothing for zhs, but for bash, zsh, fish. Did you mean zsh?')
})

completion('outside of an application the commands of Plinth itself are completed', async () => {
  const { code, said } = await plinth(['completion', 'fish'], { RESOURCES_DIR: join(place.path, 'nowhere') })
  assert.is(code, 0)
  assert.match(said, '-f -a init ')
})

completion('the help of every command ends with an example of it', async () => {
  const small = { RESOURCES_DIR: join(place.path, 'resources'), PLUGINS_DIR: 'plugins' }
  const plugins = ['demo', 'admin', 'user', 'import', 'jobs', 'automations', 'listeners', 'ai-evaluate']
  const asked = [...COMMANDS.map(({ name }) => [name, small] as const), ...plugins.map((name) => [name, DESK] as const)]
  for (const [name, env] of asked) {
    const { said } = await plinth(['help', name], env)
    assert.match(said, new RegExp(`\\n\\nexample\\n {2}.*plinth ${name}\\b`), name)
  }
})

completion.run()
