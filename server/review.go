package server

func (s *Server) reviewRoutes() {}
