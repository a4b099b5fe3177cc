/** Looks at DATA_DIR ⇄: whether it takes writes, has room, and is closed to others. */
import { existsSync } from 'node:fs'
import { rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { writeWhole } from '../disk/write.ts'
import { sentenceOf } from '../error.ts'
import type { Settings } from '../settings.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import type { Thresholds } from './thresholds.ts'

const OTHERS = 0o077
const MEGABYTE = 1_048_576

export async function lookAtFolder(
  { dataDir, databaseUrl }: Settings,
  { roomMb }: Pick<Thresholds, 'roomMb'>,
): Promise<readonly Finding[]> {
  const folder = resolve(dataDir)
  if (!existsSync(folder)) {
    const above = existsSync(dirname(folder))
    return [
      above
        ? ok(`${folder} is not there yet: the first start makes it`)
        : warning(`${folder} is not there, nor the folder above it`, 'name the right DATA_DIR'),
    ]
  }
  const found: Finding[] = []
  const probe = join(folder, `.doctor-${process.pid}`)
  try {
    await writeWhole(probe, 'x')
  } catch (error) {
    const advice = 'give the folder to the user that runs Plinth, and make room'
    return [problem(`${folder} can not be written to: ${sentenceOf(error)}`, advice)]
  } finally {
    await rm(probe, { force: true }).catch(() => undefined)
  }
  const { mode } = await stat(folder)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    found.push(warning(`others can look into ${folder}`, `chmod 700 ${folder}; the next start does it too`))
  const { bavail, bsize, blocks } = await statfs(folder)
  const [free, all] = [(bavail * bsize) / MEGABYTE, (blocks * bsize) / MEGABYTE]
  const room = `${Math.floor(free).toLocaleString('en')} MB are free in ${folder}`
  const matters =
    databaseUrl === undefined ? 'below 64 MB the database takes no writes' : 'without room uploads are refused'
  if (free < roomMb) found.push(problem(`${room}: ${matters}`, 'make room'))
  else if (free < all / 20) found.push(warning(`${room}, less than a twentieth of the disk`, 'make room'))
  return found.length > 0 ? found : [ok(`${room}; it takes writes, and is closed to others`)]
}
