/** Whether two applications have the same secret, told without telling it ⇄. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { secretsOf } from '../secret.ts'
import type { Settings } from '../settings.ts'

/** The fingerprints of the secrets that count, the present one first; none where none was made yet. */
export async function fingerprints(settings: Pick<Settings, 'appSecrets' | 'dataDir'>): Promise<readonly string[]> {
  if (settings.appSecrets.length === 0 && !existsSync(join(settings.dataDir, 'secret'))) return []
  const secrets = await secretsOf(settings)
  return secrets.map((secret) => createHash('sha256').update(`plinth dump\0${secret}`).digest('hex').slice(0, 16))
}
