"""The words by which people and agents say that something is over, in a dozen languages.

Invariant: a word here closes an item by itself. What may as well describe something that goes on
("complete", "ready", "live", "fertig") is left out: such an item stays.
"""

# ruff: noqa: RUF001 - words of other scripts are part of these tables
from nightledger.domain.closure import Closure

LABELS = (
    "status stand zustand statut état etat estado estatus situação situacao stato staat toestand tilstand läge stan durum"
    " статус состояние 状态 狀態 状態 状況 ステータス 상태"
)
"""What stands before the colon."""
LABEL_PHRASES = ("trạng thái", "tình trạng")
DATE_LABELS = "date datum fecha data дата 日期 日付 날짜 ngày tarih dato closed resolved"
"""What stands before the day of an item; the last two are words of a tracker: ``closed: 2026-01-03``."""
REVISIT_LABELS = "revisit review wiedervorlage überprüfen revoir revisar rivedere herzien пересмотреть 复查 複查 再確認 재검토"

CLOSED: dict[Closure, tuple[str, ...]] = {
    Closure.RESOLVED: (
        "resolved", "solved", "gelöst", "geloest", "behoben", "résolu", "résolue", "résolus", "résolues", "resuelto",
        "resuelta", "resueltos", "resueltas", "solucionado", "solucionada", "resolvido", "resolvida", "resolvidos",
        "resolvidas", "risolto", "risolta", "risolti", "risolte", "opgelost", "решено", "решён", "решен", "решена",
        "решены", "已解决", "已解決", "解决", "解決", "解決済", "解決済み", "해결", "해결됨", "해결 완료", "rozwiązane",
        "rozwiązany", "rozwiązana", "löst", "løst", "ratkaistu", "çözüldü", "đã giải quyết",
    ),
    Closure.DONE: (
        "done", "erledigt", "fait", "faite", "faits", "faites", "terminé", "terminée", "terminés", "terminées", "hecho",
        "hecha", "hechos", "hechas", "terminado", "terminada", "feito", "feita", "feitos", "feitas", "concluído",
        "concluída", "concluídos", "concluídas", "fatto", "fatta", "fatti", "fatte", "concluso", "conclusa", "gedaan",
        "afgerond", "сделано", "сделан", "сделана", "выполнено", "выполнен", "выполнена", "завершено", "завершён",
        "завершен", "завершена", "已完成", "完成", "已办", "完了", "完了済", "完了済み", "済", "済み", "완료", "완료됨",
        "zrobione", "ukończone", "udført", "tehty", "tamamlandı", "bitti", "đã xong", "hoàn thành", "đã hoàn thành",
    ),
    Closure.CLOSED: (
        "closed", "geschlossen", "abgeschlossen", "clos", "close", "clôturé", "clôturée", "fermé", "fermée", "cerrado",
        "cerrada", "cerrados", "cerradas", "fechado", "fechada", "fechados", "fechadas", "encerrado", "encerrada",
        "chiuso", "chiusa", "chiusi", "chiuse", "gesloten", "afgesloten", "закрыто", "закрыт", "закрыта", "закрыты",
        "已关闭", "已關閉", "关闭", "關閉", "已结案", "已結案", "クローズ", "クローズ済み", "終了", "終了済み", "종료", "종료됨",
        "닫힘", "zamknięte", "zamknięty", "zamknięta", "stängd", "stängt", "lukket", "suljettu", "kapatıldı", "kapandı",
        "đã đóng",
    ),
    Closure.REJECTED: (
        "rejected", "declined", "abgelehnt", "verworfen", "zurückgewiesen", "rejeté", "rejetée", "rejetés", "rejetées",
        "refusé", "refusée", "rechazado", "rechazada", "rechazados", "rechazadas", "descartado", "descartada",
        "rejeitado", "rejeitada", "rejeitados", "rejeitadas", "recusado", "recusada", "rifiutato", "rifiutata",
        "respinto", "respinta", "scartato", "scartata", "afgewezen", "verworpen", "отклонено", "отклонён", "отклонен",
        "отклонена", "отвергнуто", "отказано", "已拒绝", "已拒絕", "拒绝", "拒絕", "已驳回", "已駁回", "已否决", "已否決", "却下",
        "却下済み", "不採用", "거부됨", "거절됨", "기각", "반려", "odrzucone", "odrzucony", "odrzucona", "avvisad", "avvist",
        "afvist", "forkastet", "hylätty", "reddedildi", "bị từ chối", "đã từ chối",
    ),
    Closure.SUPERSEDED: (
        "superseded", "obsoleted", "ersetzt", "überholt", "abgelöst", "remplacé", "remplacée", "remplacés", "remplacées",
        "reemplazado", "reemplazada", "sustituido", "sustituida", "substituído", "substituída", "ultrapassado",
        "sostituito", "sostituita", "superato", "superata", "vervangen", "achterhaald", "заменено", "заменён", "заменен",
        "заменена", "устарело", "已取代", "已被取代", "被取代", "已替代", "已被替代", "已作废", "已作廢", "置き換え済み", "置換済み",
        "廃止", "廃止済み", "대체됨", "폐기됨", "zastąpione", "zastąpiony", "ersatt", "erstattet", "korvattu", "đã thay thế",
        "bị thay thế",
    ),
}  # fmt: skip
"""How a status begins that closes its item; in NFKC and case-folded before they are compared."""

STILL_OPEN = (
    "but except reopened re-opened reopen pending partly partially open awaiting"
    " aber außer teilweise offen ausstehend wiedereröffnet"
    " mais sauf partiellement rouvert rouverte attente"
    " pero salvo parcialmente reabierto reabierta pendiente"
    " mas exceto reaberto reaberta pendente"
    " ma però tranne parzialmente riaperto riaperta sospeso"
    " maar behalve gedeeltelijk heropend"
    " но кроме частично переоткрыто переоткрыт"
)
"""Words that take back what the status began with: "Resolved, but ..."; none of them closes."""
STILL_OPEN_UNSPACED = (
    "但",
    "部分",
    "待",
    "重新打开",
    "重新開啟",
    "ただし",
    "一部",
    "再開",
    "未",
    "보류",
    "일부",
    "다시",
)
