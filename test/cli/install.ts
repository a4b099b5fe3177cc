/** What `npm install` of an application lays out, without asking a registry. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The package as the tarball that `npm pack` makes of what is compiled; gives its path. */
export function packed(into: string): string {
  const made = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', into], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename }] = JSON.parse(made) as [{ filename: string }]
  return join(into, filename)
}

/** Below node_modules: the package out of its tarball, links to its dependencies and to `others` of this project, and its command. */
export function install(application: string, tarball: string, others: readonly string[] = []): void {
  const modules = join(application, 'node_modules')
  mkdirSync(join(modules, 'plinth'), { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', join(modules, 'plinth'), '--strip-components=1'])
  // As npm does, whatever the modes of what was packed.
  execFileSync('chmod', ['-R', 'a+rX', join(modules, 'plinth')])
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  for (const name of [...Object.keys(dependencies), ...others]) {
    mkdirSync(resolve(modules, name, '..'), { recursive: true })
    if (!existsSync(join(modules, name))) symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  mkdirSync(join(modules, '.bin'))
  for (const name of ['plinth', ...others]) link(modules, name)
}

function link(modules: string, name: string): void {
  const { bin = {} } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as { bin?: object }
  for (const [command, file] of Object.entries(bin)) {
    // As npm does; what is linked is executable already.
    if (name === 'plinth') chmodSync(join(modules, name, String(file)), 0o755)
    symlinkSync(join('..', name, String(file)), join(modules, '.bin', command))
  }
}
