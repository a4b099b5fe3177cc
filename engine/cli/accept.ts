/**
 * `plinth accept` ⇄, and the file extends.lock: what an application below said where this one says something else, and
 * which of its later changes this one has accepted.
 */
import { dirname, join } from 'node:path'
import type { Boot } from '../boot/boot.ts'
import { LOCK } from '../boot/layers.ts'
import { changedParts, lockText } from '../boot/replaced.ts'
import { flow } from '../definition/sentence.ts'
import { writeWhole } from '../disk/files.ts'
import { sentenceOf } from '../error.ts'
import { nearest } from '../text/nearest.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

type Locked = Pick<Boot, 'files' | 'lock' | 'replaced'>

/** Writes the lock where it lacks a part that is replaced, or has one that is not any more; returns its path then. */
async function keep({ files, lock, replaced }: Locked, accepted: ReadonlySet<string>): Promise<string | undefined> {
  const text = lockText(replaced, lock, accepted)
  if (text === (files.lock?.text ?? '')) return undefined
  const file = files.lock?.file ?? join(dirname(files.app.file), LOCK)
  await writeWhole(file, text, 0o644)
  return file
}

/** Keeps the lock for commands that read the files; a folder that cannot be written is left as it is. */
export async function keepLock(boot: Locked, { settings }: Pick<Invocation, 'settings'>): Promise<void> {
  if (settings.production || boot.files.base === undefined) return
  await keep(boot, new Set()).catch(() => undefined)
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, options, positionals, say } = invocation
  const boot = await readApplication(invocation)
  if (boot === undefined) return 1
  const changed = changedParts(boot.replaced, boot.lock)
  const paths = changed.map(({ path }) => path)
  const chosen = options.all === true ? paths : positionals
  const unknown = chosen.find((path) => !paths.includes(path))
  if (unknown !== undefined) {
    const near = nearest(unknown, paths)
    const why = boot.replaced.some(({ path }) => path === unknown)
      ? 'The application below has not changed it since.'
      : 'It is no part of the application below that this one replaces.'
    complain(`${unknown}: ${why}${near === undefined ? '' : ` Did you mean ${near}?`}`)
    return 1
  }
  try {
    await keep(boot, new Set(chosen))
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
  const lines = changed.filter(({ path }) => chosen.includes(path) || chosen.length === 0)
  say(
    lines.length === 0
      ? 'Nothing that this application replaces was changed below.'
      : lines
          .map(
            ({ path, below, own }) =>
              `${chosen.length === 0 ? 'waits' : 'accepted'}: ${path}: ${below === undefined ? 'nothing' : flow(below)} below, ${flow(own)} here`,
          )
          .join('\n'),
  )
  return 0
}
