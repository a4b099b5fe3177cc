/** What `npm install` of an application lays out, without asking a registry. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join, resolve } from 'node:path'

/** Names the contents of what is packed: its files and folders with their times. */
function contents(): string {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
  const hash = createHash('sha256')
  for (const place of [...files, 'package.json', 'README.md', 'LICENSE']) {
    const below = statSync(place).isDirectory() ? readdirSync(place, { recursive: true, encoding: 'utf8' }) : []
    for (const path of [place, ...below.map((name) => join(place, name))])
      hash.update(`${path} ${statSync(path).mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * The package as the tarball that `npm pack` makes of what is compiled; gives its path. It is made once for the same
 * contents, and kept in dist/.
 */
export function packed(into: string): string {
  const kept = join('dist', `.packed-${contents()}.tgz`)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const tarball = join(into, `plinth-${version}.tgz`)
  if (!existsSync(kept)) {
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', into], { stdio: 'ignore' })
    for (const old of readdirSync('dist')) if (old.startsWith('.packed-')) rmSync(join('dist', old), { force: true })
    // Whole when it bears the name: other files of tests look for it at the same time.
    const half = join('dist', `.packing-${process.pid}`)
    copyFileSync(tarball, half)
    renameSync(half, kept)
  }
  copyFileSync(kept, tarball)
  return tarball
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
