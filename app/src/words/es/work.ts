import type { work as english } from '../en/work'
import { count, number } from './count'

export const work: typeof english = {
	title: 'Mi trabajo',
	groups: {
		overdue: 'Vencido',
		week: 'Vence en los próximos 7 días',
		answer: 'Espera mi respuesta',
		comments: 'Comentarios nuevos',
		later: 'Más adelante',
	},
	overdueBy: (n) => `Vencido hace ${count(n, 'día', 'días')}`,
	dueToday: 'Vence hoy',
	dueTomorrow: 'Vence mañana',
	due: (day) => `Vence el ${day}`,
	noDue: 'Sin fecha de vencimiento',
	issue: 'Incidencia',
	rfi: 'RFI',
	untitled: 'Sin título',
	sheet: (name) => `Plano ${name}`,
	comments: (n) => count(n, 'comentario nuevo', 'comentarios nuevos'),
	somebody: 'Alguien',
	project: 'Proyecto',
	allProjects: 'Todos los proyectos',
	empty: 'No tienes nada pendiente',
	emptyText: 'Aquí aparecen, de todos tus proyectos, las incidencias y RFI que se te asignan y lo que otros comentan en ellas.',
	refused: 'No se pudo leer esta lista',
	asOf: 'Actualizado',
	stale: 'Sin conexión. Esto es lo que estaba pendiente la última vez que hubo conexión.',
	total: (n) => count(n, 'cosa pendiente', 'cosas pendientes'),
	reload: 'Volver a cargar mi trabajo',
	more: (n) => `Mostrar ${number(n)} más`,
}
