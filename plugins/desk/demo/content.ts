/** The demo's articles, frequent questions, posts and notes. */
import { ARTICLES, FAQS, POSTS } from './articles.ts'
import type { People } from './fill-people.ts'
import { daysAgo, type Ids, insert, type Scene } from './ids.ts'

/** Inserts them all. */
export async function fillContent(scene: Scene, ids: Ids, people: People): Promise<void> {
  const stamps = (days: number) => {
    const moment = daysAgo(scene, days)
    return { created_at: moment, updated_at: moment }
  }
  const articles = ARTICLES.map(([title, type, details], index) => ({
    title,
    details,
    type_id: ids.types.get(type) ?? null,
    ...stamps(180 - index * 9),
  }))
  const faqs = FAQS.map(([name, status, details], index) => ({ name, status, details, ...stamps(150 - index * 5) }))
  const posts = POSTS.map(([title, is_active, details], index) => ({
    title,
    details,
    excerpt: `${details.split('. ')[0] ?? details}`,
    is_active,
    ...stamps(80 - index * 12),
  }))
  const notes = people.staff.map(({ id }, index) => ({
    name: index % 2 === 0 ? 'To do this week' : 'Phrases that help',
    details:
      index % 2 === 0
        ? 'Go through tickets older than ten days.\nAsk billing about duplicate charges.'
        : 'Thank you for your patience.\nI have tried it myself.',
    user_id: id,
    ...stamps(20 - index),
  }))
  await insert(scene, 'knowledge_base', articles)
  await insert(scene, 'faqs', faqs)
  await insert(scene, 'posts', posts)
  await insert(scene, 'notes', notes)
}
