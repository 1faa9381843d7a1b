"""Cue words of German, Spanish, French, Portuguese, Italian and Vietnamese, as `cue_words` has them for English.

Invariant: a language's words count only in a file that is written in it (`languages_of`),
because many are words of another language with another meaning.
"""

STOP_WORDS: dict[str, frozenset[str]] = {
    "de": frozenset(
        ["der", "die", "das", "und", "ist", "nicht", "mit", "für", "von", "auf", "ein", "eine", "wird"]
    ),
    "es": frozenset(
        ["el", "los", "las", "del", "que", "una", "por", "con", "para", "está", "fue", "se", "y"]
    ),
    "fr": frozenset(
        ["le", "les", "des", "est", "une", "du", "et", "pour", "dans", "pas", "avec", "sur", "au"]
    ),
    "pt": frozenset(
        ["os", "das", "dos", "não", "uma", "para", "com", "em", "foi", "está", "que", "ao", "do"]
    ),
    "it": frozenset(
        ["il", "gli", "della", "che", "una", "per", "con", "non", "sono", "è", "nel", "di", "del"]
    ),
    "vi": frozenset(
        ["và", "của", "là", "không", "được", "cho", "các", "đã", "với", "này", "có", "khi", "để"]
    ),
}
"""A dozen of each language's commonest words; they only tell which language a file is in."""

LATIN: dict[str, dict[str, str]] = {
    "de": {
        "absolute": "immer, nie, niemals, stets, jederzeit, grundsätzlich, ausnahmslos, strikt",
        "duty": "muss, müssen, soll, sollen, sollte, sollten, erforderlich, pflicht, nötig, nur",
        "ban": "nicht mehr, verboten, vermeiden, keinesfalls, auf keinen fall, darf nicht, dürfen nicht, niemals, kein*",
        "unable": "kann nicht, können nicht, geht nicht, funktioniert nicht, unmöglich, grenze, höchstens, maximal,"
        " unterstützt nicht, lehnt ab, scheitert, ignoriert, ohne, blockiert, limit",
        "cause": "weil, wegen, ursache, grund, verursacht, denn, da, deshalb, dadurch, liegt an, sonst",
        "lesson": "lektion, gelernt, erkenntnis*, merke, lehre, fallstrick*, stolperfalle*, erfahrung",
        "decide": "entschieden, entscheidung*, beschlossen, vereinbart, festgelegt, gewählt, verworfen, bleibt, genehmigt",
        "wish": "bevorzugt, möchte, will, wünscht, mag, lieber, vorliebe*, bevorzug*",
        "said": "sagte, bat, verlangte, bestätigte, erklärte, wies, gebeten, gesagt, anweisung, hinweis",
        "correct": "falsch, korrigiert, korrektur, eigentlich, tatsächlich, stattdessen, irrtum, richtig, fehlannahme",
        "rule": "regel, regeln, richtlinie*, vorgabe*, konvention*, ablauf, standard, grundsatz, prinzip",
        "standing": "ab jetzt, ab sofort, künftig, in zukunft, dauerhaft, standardmäßig, standard, immer wenn",
        "scope": "wenn, falls, sofern, bevor, vor, nach, nachdem, außer, bis, während, bei jedem, pro, jede*",
        "contrast": "statt, sondern, anstatt, aber, nicht, kein*",
        "retire": "abgelöst, ersetzt, veraltet, nicht mehr, abgeschaltet, entfernt, eingestellt",
        "fix": "umgehung, lösung, behoben, abhilfe, gelöst, korrigiert",
        "place": "liegt, läuft, gespeichert, pfad, ordner, verzeichnis, server, rechner, adresse, skript, port",
        "being": "ist, sind, hat, heißt, nutzt, verwendet, gehört, enthält, braucht, benötigt",
        "fault": "fehler, problem*, kaputt, absturz, störung, ausfall, defekt, veraltet",
        "how": "nutze, verwende, setze, aufrufen, befehl, einstellung, konfiguration, prüfen, neustart, starten",
        "person": "er, sie, frau, mann, tochter, sohn, kunde, kunden, adresse, telefon, geburtstag, zeitzone, konto",
        "done": "fertig, erledigt, abgeschlossen, erfolgreich, bereit, behoben, funktioniert, läuft",
        "work": "erstellt, aktualisiert, hinzugefügt, gesendet, getestet, installiert, gebaut, geschrieben, gelöscht,"
        " geprüft, konfiguriert, angelegt, umgesetzt, eingerichtet, ausgeführt, verschoben",
        "plan": "nächste*, offen, ausstehend, geplant, später, vielleicht, todo, warten, könnte, vorschlag",
        "now": "heute, morgen, gestern, aktuell, derzeit, vorläufig, jetzt, heute abend, diese woche",
        "measure": "gesamt, anzahl, dateien, zeilen, tests, treffer, minuten, sekunden, prozent",
        "report": "zusammenfassung, bericht, ergebnisse, dateien, änderungen, verlauf, stand, status",
        "doubt": "vielleicht, wahrscheinlich, vermutlich, scheint, unklar, möglicherweise",
        "past": "war, waren, hatte, hatten, wurde, wurden", "general": "jede*, alle, beide, ganze*, alles, nichts",
        "self": "ich, wir, mein*, unser*", "key": "wichtig, kritisch, achtung, hinweis",
        "setup": "einrichtung, konfiguration, infrastruktur, umgebung, zugang, netzwerk, geräte, vorlieben, profil",
    },
    "es": {
        "absolute": "siempre, nunca, jamás, en todo momento, sin excepción, estrictamente",
        "duty": "debe, deben, debemos, hay que, tiene que, tienen que, obligatorio, requerido, requiere, solo, sólo,"
        " únicamente, es necesario, asegurar",
        "ban": "no usar, no hacer, no se debe, prohibido, evitar, no tocar, nunca, no permitir",
        "unable": "no puede, no pueden, no funciona, imposible, límite, máximo, no soporta, no permite, rechaza, falla,"
        " ignora, bloquea, sin, no acepta, no está disponible",
        "cause": "porque, debido a, causa, causado, razón, motivo, causa raíz, por culpa, por eso, ya que, si no",
        "lesson": "lección, lecciones, aprendido, aprendizaje*, aprendimos, recordar, ojo, cuidado",
        "decide": "decidido, decidimos, decisión, decisiones, acordado, acordamos, elegido, aprobado, continuar,"
        " rechazado, descartado, mantener",
        "wish": "prefiere, prefieren, quiere, gusta, preferencia*, desea, no quiere",
        "said": "pidió, dijo, aclaró, confirmó, corrigió, indicó, solicitó, instrucción, a petición",
        "correct": "corregido, corrección, en realidad, equivocado, incorrecto, error mío, correcto, asumí",
        "rule": "regla, reglas, política*, norma*, convención, procedimiento, estándar*, principio*",
        "standing": "de ahora en adelante, por defecto, permanente, a partir de ahora, a futuro, siempre que",
        "scope": "cuando, si, salvo, antes, después, hasta, excepto, durante, cada, al, primero",
        "contrast": "en lugar, en vez, sino, pero, no", "retire": "retirado, reemplazado, obsoleto, ya no, eliminado",
        "fix": "solución, arreglo, solucionado, workaround, arreglado",
        "place": "ubicado, vive, guardado, carpeta, ruta, se encuentra, servidor, máquina, puerto, base de datos",
        "being": "es, son, tiene, usa, significa, contiene, necesita, incluye", "can": "puede, pueden, permite",
        "fault": "fallo, fallos, falla, problema*, roto, error, errores, caído",
        "how": "usar, ejecutar, llamar, configurar, comando, opción, verificar, reiniciar, configuración",
        "person": "él, ella, esposa, esposo, hija, hijo, cliente, dirección, teléfono, cumpleaños, cuenta, equipo",
        "done": "listo, hecho, completado, terminado, éxito, exitosamente, funcionando, verificado",
        "work": "creado, actualizado, añadido, agregado, enviado, probado, instalado, escrito, eliminado, revisado,"
        " implementado, configurado, movido, agregados, se creó, se actualizó",
        "plan": "pendiente*, próximo*, planear, quizás, luego, esperando, falta, siguiente*",
        "now": "hoy, mañana, ayer, ahora, actualmente, por ahora, esta semana, temporal",
        "measure": "cantidad, archivos, líneas, resultados, total, minutos, segundos",
        "report": "resumen, informe, resultados, archivos, cambios, avance, estado",
        "doubt": "quizás, probablemente, parece, posiblemente, tal vez", "past": "era, fue, había, estaba, eran",
        "general": "cada, todo*, todas, cualquier, ambos, ningún, ninguna", "self": "yo, mi, nosotros, nuestro",
        "key": "importante, clave, crítico, nota", "setup": "configuración, infraestructura, entorno, acceso, red, perfil",
    },
    "fr": {
        "absolute": "toujours, jamais, systématiquement, en toutes circonstances, sans exception",
        "duty": "doit, doivent, devons, faut, obligatoire, requis, nécessaire, seulement, uniquement, il faut",
        "ban": "ne pas, ne jamais, interdit, éviter, ne doit pas, ne plus, n'utiliser pas",
        "unable": "ne peut pas, ne fonctionne pas, impossible, limite, maximum, ne supporte pas, refuse, échoue, ignore,"
        " bloque, sans, indisponible",
        "cause": "parce que, car, à cause, cause, raison, en raison, dû à, sinon, puisque, cause racine",
        "lesson": "leçon*, appris, apprentissage*, retenir, piège*, attention, à retenir",
        "decide": "décidé, décision*, convenu, choisi, approuvé, validé, retenu, rejeté, abandonné, on garde",
        "wish": "préfère, préfèrent, veut, souhaite, préférence*, aime, ne veut pas",
        "said": "demandé, dit, précisé, confirmé, corrigé, indiqué, consigne, rappelé",
        "correct": "corrigé, correction, faux, erroné, en fait, en réalité, incorrect, supposé",
        "rule": "règle, règles, politique*, consigne*, procédure*, convention*, norme*, principe*",
        "standing": "désormais, dorénavant, par défaut, permanent, à partir de maintenant, à l'avenir",
        "scope": "quand, si, sauf, avant, après, jusqu'à, lorsque, pendant, chaque, dès",
        "contrast": "au lieu, plutôt, mais, pas", "retire": "remplacé, obsolète, ne plus, n'est plus, retiré, supprimé",
        "fix": "contournement, solution, résolu, correctif",
        "place": "situé, stocké, dossier, chemin, se trouve, tourne, serveur, machine, port, adresse",
        "being": "est, sont, a, utilise, signifie, contient, nécessite", "can": "peut, peuvent, permet",
        "fault": "panne, bogue, bug, problème*, erreur*, échec, cassé, plantage",
        "how": "utiliser, lancer, appeler, commande, réglage, configurer, vérifier, redémarrer",
        "person": "il, elle, femme, mari, fille, fils, client, adresse, téléphone, anniversaire, compte, équipe",
        "done": "terminé, réussi, prêt, fait, fonctionne, livré, résolu",
        "work": "créé, actualisé, mis à jour, ajouté, envoyé, testé, installé, écrit, supprimé, vérifié, configuré,"
        " déplacé, implémenté, publié",
        "plan": "prochain*, prévu, attente, peut-être, à faire, plus tard, proposer",
        "now": "aujourd'hui, demain, hier, maintenant, actuellement, pour l'instant, cette semaine",
        "measure": "fichiers, lignes, résultats, total, minutes, secondes", "doubt": "peut-être, probablement, semble",
        "report": "résumé, rapport, résultats, fichiers, changements, statut, avancement",
        "past": "était, étaient, avait, a été, fut", "general": "chaque, tout, tous, toutes, aucun*",
        "self": "je, nous, mon, notre", "key": "important, critique, note", "setup": "configuration, infrastructure, accès",
    },
    "pt": {
        "absolute": "sempre, nunca, jamais, em qualquer caso, sem exceção, estritamente",
        "duty": "deve, devem, devemos, precisa, precisam, tem que, obrigatório, necessário, só, somente, apenas, exige",
        "ban": "não usar, não fazer, não deve, proibido, evitar, não mexer, não criar",
        "unable": "não pode, não funciona, impossível, limite, máximo, não suporta, não permite, recusa, falha, ignora,"
        " bloqueia, sem, não aceita",
        "cause": "porque, por causa, devido, motivo, razão, causa, causa raiz, senão, já que, pois",
        "lesson": "lição, lições, aprendi*, aprendizado*, aprendizagem, lembrar, cuidado",
        "decide": "decidido, decidimos, decisão, decisões, combinado, escolhido, aprovado, rejeitado, manter, acordado",
        "wish": "prefere, preferem, quer, gosta, preferência*, deseja, não quer",
        "said": "pediu, disse, esclareceu, confirmou, corrigiu, indicou, instrução, solicitou",
        "correct": "corrigido, correção, errado, incorreto, na verdade, na realidade, assumi",
        "rule": "regra, regras, política*, norma*, convenção, procedimento, padrão, princípio*",
        "standing": "a partir de agora, daqui em diante, por padrão, por defeito, permanente, no futuro",
        "scope": "quando, se, exceto, antes, depois, até, durante, cada, salvo, ao",
        "contrast": "em vez, em lugar, mas, não", "retire": "substituído, obsoleto, não mais, já não, removido",
        "fix": "solução, contorno, correção, resolvido",
        "place": "fica, localizado, armazenado, pasta, caminho, roda, servidor, máquina, porta, vive em, guardado",
        "being": "é, são, tem, usa, significa, contém, precisa", "can": "pode, podem, permite",
        "fault": "erro, erros, falha, problema*, quebrado, avaria",
        "how": "usar, executar, rodar, chamar, configurar, comando, opção, verificar, reiniciar",
        "person": "ele, ela, esposa, marido, filha, filho, cliente, endereço, morada, telefone, aniversário, conta",
        "done": "pronto, feito, concluído, sucesso, terminado, funcionando, resolvido",
        "work": "criado, atualizado, adicionado, enviado, testado, instalado, escrito, removido, revisado, configurado,"
        " criei, configurei, corrigi, atualizei, implementado, movido",
        "plan": "pendente*, próximo*, talvez, depois, aguardando, planejado, falta",
        "now": "hoje, amanhã, ontem, agora, atualmente, por enquanto, esta semana",
        "measure": "arquivos, ficheiros, linhas, resultados, total, minutos, segundos",
        "report": "resumo, relatório, resultados, alterações, andamento, estado",
        "doubt": "talvez, provavelmente, parece, possivelmente", "past": "era, foi, tinha, estava, eram",
        "general": "cada, todo*, todas, qualquer, ambos, nenhum*", "self": "eu, meu, nós, nosso",
        "key": "importante, chave, crítico, nota", "setup": "configuração, infraestrutura, ambiente, acesso, perfil",
    },
    "it": {
        "absolute": "sempre, mai, in ogni caso, senza eccezioni", "duty": "deve, devono, bisogna, obbligatorio, solo, serve",
        "ban": "non usare, vietato, evitare, non deve, non toccare", "wish": "preferisce, vuole, preferenz*, desidera",
        "unable": "non può, non funziona, impossibile, limite, massimo, non supporta, rifiuta, fallisce, senza",
        "cause": "perché, causa, dovuto, motivo, ragione, altrimenti", "lesson": "lezion*, imparat*, ricord*, attenzione",
        "decide": "deciso, decisione, decisioni, concordato, scelto, approvato", "said": "ha chiesto, ha detto, confermato",
        "correct": "corretto, sbagliato, in realtà, errato", "rule": "regola, regole, politica, procedura, norma",
        "standing": "d'ora in poi, predefinito, permanente, da ora", "scope": "quando, se, prima, dopo, finché, ogni, tranne",
        "contrast": "invece, ma, non", "retire": "sostituito, obsoleto, non più", "fix": "soluzione, risolto",
        "place": "si trova, cartella, percorso, gira, salvato, server, porta", "being": "è, sono, ha, usa, contiene",
        "fault": "errore, errori, guasto, problema, problemi", "done": "fatto, completato, pronto, riuscito",
        "work": "creato, aggiornato, aggiunto, inviato, installato, testato, rimosso, configurato, spostato",
        "plan": "prossimo, in attesa, forse, da fare, dopo", "now": "oggi, domani, ieri, adesso, attualmente",
        "report": "riepilogo, risultati, stato, modifiche", "past": "era, erano, aveva, stato",
    },
    "vi": {
        "absolute": "luôn, luôn luôn, không bao giờ, tuyệt đối", "duty": "phải, cần, bắt buộc, chỉ, cần phải",
        "ban": "không được, đừng, cấm, tránh", "wish": "muốn, thích, ưu tiên, mong muốn",
        "unable": "không thể, không hỗ trợ, giới hạn, tối đa, không hoạt động", "cause": "vì, do, nguyên nhân, bởi vì, lý do",
        "lesson": "bài học, rút ra, ghi nhớ, lưu ý, kinh nghiệm", "decide": "quyết định, thống nhất, đã chọn, chốt",
        "said": "yêu cầu, nói, nhắc, xác nhận, dặn", "correct": "sai, nhầm, sửa lại, thực ra, đúng ra",
        "rule": "quy tắc, quy định, nguyên tắc, quy trình", "standing": "từ nay, từ giờ, mặc định, vĩnh viễn",
        "scope": "khi, nếu, trước, sau, trừ, trước khi, sau khi, mỗi", "contrast": "thay vì, nhưng, không",
        "retire": "thay thế, không còn, bỏ", "fix": "giải pháp, khắc phục, cách xử lý",
        "place": "nằm ở, lưu, thư mục, đường dẫn, chạy trên, máy chủ, cổng", "being": "là, có, dùng, sử dụng",
        "fault": "lỗi, sự cố, hỏng", "how": "dùng, chạy, gọi, lệnh, cấu hình, thiết lập",
        "person": "vợ, chồng, con, khách, địa chỉ, điện thoại, sinh nhật, múi giờ", "done": "xong, hoàn thành, thành công",
        "work": "đã tạo, đã cập nhật, đã thêm, đã sửa, đã gửi, đã kiểm tra, đã cài", "plan": "tiếp theo, kế hoạch, chờ, sẽ",
        "now": "hôm nay, ngày mai, hôm qua, hiện tại, bây giờ", "report": "tóm tắt, báo cáo, kết quả, tiến độ, trạng thái",
    },
}  # fmt: skip
"""Language, cue, words."""
