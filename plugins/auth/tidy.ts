/** ⇄ Takes back changes of address that nobody confirmed in time. What runs out by itself goes by the `keep` of its resource. */
import type { JobContext, JsonObject } from '../../engine/index.ts'
import { dropUnconfirmed } from './email-link.ts'

/** The job. */
export async function tidy(context: JobContext): Promise<JsonObject> {
  return { addresses: await dropUnconfirmed(context) }
}
